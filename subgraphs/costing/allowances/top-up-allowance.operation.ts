/** Adds an amount to a prepaid allowance, once for each key. */
import { isUuid } from '#kernel/uuid.ts';
import { money, plain } from '#kernel/money.ts';
import { now } from '#platform/clock.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { TOP_UPS_MAX } from '../config.ts';
import type { Allowance, AllowanceTopUpInput } from '../resolvers.generated.ts';
import { keepAllowance } from './allowance.table.ts';
import { findAllowance } from './allowance-balance.query.ts';
import { countTopUps, findTopUp, insertTopUp } from './allowance-top-up.table.ts';
import { toAllowanceView } from './allowance-view.ts';
import { describeSubject } from './describe-allowance.ts';
import { parseUsd, requiredText } from './parse-allowance.ts';

/**
 * Returns the allowance. A resend changes nothing; the same key with another amount fails with `VALIDATION_ERROR`.
 * Fails with `NOT_FOUND`.
 */
export async function topUpAllowance(context: SubgraphContext, input: AllowanceTopUpInput): Promise<Allowance> {
  const organizationId = organizationOf(context);
  const { allowanceId } = input;
  const idempotencyKey = requiredText('idempotencyKey', input.idempotencyKey);
  const amount = parseUsd('amount', input.amount);
  if (money(amount).isZero()) fail('VALIDATION_ERROR', 'amount must be above 0');
  if (!isUuid(allowanceId)) fail('NOT_FOUND', 'Unknown allowance');
  const at = now();
  const saved = await context.database.write(organizationId, async (tx) => {
    const of = (await keepAllowance(tx, organizationId, allowanceId)) ?? fail('NOT_FOUND', 'Unknown allowance');
    if (of.period !== 'prepaid')
      fail('VALIDATION_ERROR', 'allowanceId is not a prepaid allowance: change its amount instead');
    const [id = ''] = uuidsV7(1);
    const actor = actorOf(context.principal);
    const { actorKind, accountUserId } = actor;
    const row = { organizationId, allowanceId, id, idempotencyKey, amount, addedAt: at, actorKind, accountUserId };
    if (await insertTopUp(tx, row)) {
      // Counted after the insertion: at the limit, a resend must still get its answer.
      if ((await countTopUps(tx, organizationId, allowanceId)) > TOP_UPS_MAX)
        fail('VALIDATION_ERROR', `The limit of ${TOP_UPS_MAX} top-ups is reached: create a new allowance`);
      const detail = `${amount} USD ${describeSubject(of)}`;
      await recordAudit(tx, {
        organizationId,
        at,
        action: 'allowance.topped_up',
        ...actor,
        subjectId: allowanceId,
        detail,
      });
    } else {
      const added = await findTopUp(tx, organizationId, allowanceId, idempotencyKey);
      if (plain(money(added.amount)) !== amount)
        fail('VALIDATION_ERROR', `idempotencyKey was used for a top-up of ${added.amount} USD`);
    }
    return findAllowance(tx, organizationId, allowanceId);
  });
  return toAllowanceView(saved ?? fail('NOT_FOUND', 'Unknown allowance'));
}
