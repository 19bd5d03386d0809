/** Appends the opposite of an adjustment. */
import { isUuid } from '#kernel/uuid.ts';
import { money, plain } from '#kernel/money.ts';
import { now } from '#platform/clock.ts';
import { randomUuid } from '#platform/random.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import type { CostAdjustment } from '../resolvers.generated.ts';
import { bookAdjustment } from './book-adjustment.step.ts';
import { findAdjustments } from './cost-adjustment.table.ts';

/** Returns the adjustment. Fails with `NOT_FOUND` if it does not exist, is a revert, or was already reverted. */
export async function revertCostAdjustment(context: SubgraphContext, id: string): Promise<CostAdjustment> {
  const organizationId = organizationOf(context);
  if (!isUuid(id)) fail('NOT_FOUND', 'id: adjustment not found');
  return context.database.write(organizationId, async (tx) => {
    const find = async () => (await findAdjustments(tx, organizationId, [id]))[0];
    const known = await find();
    if (known === undefined || known.reversesId !== null || known.isReverted)
      return fail('NOT_FOUND', 'id: adjustment not found, or already reverted');
    const isBooked = await bookAdjustment(tx, organizationId, {
      id: randomUuid(),
      day: known.day,
      provider: known.provider,
      model: known.model,
      amount: plain(money(known.amount).negated()),
      note: known.note,
      reversesId: id,
      recordedBy: context.principal.accountUserId,
    });
    if (!isBooked) fail('NOT_FOUND', 'id: adjustment not found, or already reverted');
    await recordAudit(tx, {
      organizationId,
      at: now(),
      action: 'cost_adjustment.reverted',
      ...actorOf(context.principal),
      subjectId: id,
      detail: `${known.amount} USD for ${known.provider} on ${known.day}: ${known.note}`,
    });
    return (await find()) ?? known;
  });
}
