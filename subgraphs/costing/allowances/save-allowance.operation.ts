/** Creates the allowance of a subject and a period, or changes its amount and policy. */
import { canonicalInstant } from '#kernel/time/instant.ts';
import { now } from '#platform/clock.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import type { Allowance, AllowanceSaveInput } from '../resolvers.generated.ts';
import { lockAllowance, updateAllowance } from './allowance.table.ts';
import { findAllowance } from './allowance-balance.query.ts';
import { toAllowanceView } from './allowance-view.ts';
import { createAllowance } from './create-allowance.step.ts';
import { describeAllowance } from './describe-allowance.ts';
import { parseAllowance } from './parse-allowance.ts';

/** Fails with `VALIDATION_ERROR`. */
export async function saveAllowance(context: SubgraphContext, input: AllowanceSaveInput): Promise<Allowance> {
  const organizationId = organizationOf(context);
  const draft = parseAllowance(input);
  const at = now();
  const saved = await context.database.write(organizationId, async (tx) => {
    const before = await lockAllowance(tx, organizationId, draft);
    if (before && draft.countsFrom !== null && draft.countsFrom !== canonicalInstant(before.countsFrom))
      fail(
        'VALIDATION_ERROR',
        `countsFrom of an allowance cannot be changed; it is ${canonicalInstant(before.countsFrom)}`,
      );
    const id = before?.id ?? (await createAllowance(tx, organizationId, draft, at));
    if (before) await updateAllowance(tx, organizationId, id, draft, at);
    await recordAudit(tx, {
      organizationId,
      at,
      action: before ? 'allowance.changed' : 'allowance.created',
      ...actorOf(context.principal),
      subjectId: id,
      detail: describeAllowance(draft),
    });
    return findAllowance(tx, organizationId, id);
  });
  return toAllowanceView(saved ?? fail('NOT_FOUND', 'This allowance was removed at the same time'));
}
