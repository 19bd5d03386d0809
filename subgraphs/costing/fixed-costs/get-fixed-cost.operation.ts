/** Returns one fixed cost. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { type FixedCostView, toFixedCostView } from './fixed-cost-view.ts';
import { listFixedCostRows } from './fixed-cost.table.ts';

/** Null if the organization has none with this key. */
export function getFixedCost(context: SubgraphContext, key: string): Promise<FixedCostView | null> {
  const organizationId = organizationOf(context);
  return context.database.snapshot(organizationId, async (tx) => {
    const [fixedCost] = await listFixedCostRows(tx, organizationId, { key });
    return fixedCost === undefined ? null : toFixedCostView(fixedCost);
  });
}
