/** Ends a fixed cost on a day. Entries of that day and later ones are reverted; ending it on its first day reverts everything. */
import { parseDayRange } from '#kernel/time/day-range.ts';
import { now } from '#platform/clock.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import type { FixedCostEndInput } from '../resolvers.generated.ts';
import { type FixedCostView, toFixedCostView } from './fixed-cost-view.ts';
import { endPeriods } from './end-periods.ts';
import { writeFixedCost } from './write-fixed-cost.step.ts';

/** Fails with `NOT_FOUND` or `VALIDATION_ERROR`. */
export async function endFixedCost(
  context: SubgraphContext,
  { key, until }: FixedCostEndInput,
): Promise<FixedCostView> {
  const organizationId = organizationOf(context);
  const day = parseDayRange({ until }).until ?? fail('VALIDATION_ERROR', 'until is required');
  const at = now();
  return context.database.write(organizationId, async (tx) => {
    const { saved } = await writeFixedCost(tx, organizationId, key, at, (before) =>
      before === null
        ? fail('NOT_FOUND', 'Unknown fixed cost')
        : { ...before, periods: endPeriods(before.periods, day) },
    );
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'fixed_cost.ended',
      ...actorOf(context.principal),
      subjectId: saved.id,
      detail: `${saved.name} (${saved.key}) until ${day}`,
    });
    return toFixedCostView(saved);
  });
}
