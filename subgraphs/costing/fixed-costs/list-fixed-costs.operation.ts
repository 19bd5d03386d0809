/** Lists the organization's fixed costs. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { type FixedCostView, toFixedCostView } from './fixed-cost-view.ts';
import { listFixedCostRows } from './fixed-cost.table.ts';

/** The organization's fixed costs, sorted by key. */
export function listFixedCosts(context: SubgraphContext): Promise<FixedCostView[]> {
  const organizationId = organizationOf(context);
  return context.database.snapshot(organizationId, async (tx) =>
    (await listFixedCostRows(tx, organizationId)).map(toFixedCostView),
  );
}
