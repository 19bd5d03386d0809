/** `FixedCost.allocatedUntil`: the day until which a fixed cost is allocated. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { findAllocatedUntil } from './allocation-day.table.ts';
import type { FixedCostView } from './fixed-cost-view.ts';

/** The day after the last allocated day; null before the first. */
export function getAllocatedUntil(
  context: SubgraphContext,
  { fixedCostId }: Pick<FixedCostView, 'fixedCostId'>,
): Promise<string | null> {
  const organizationId = organizationOf(context);
  return context.database.find(organizationId, (tx) => findAllocatedUntil(tx, organizationId, fixedCostId));
}
