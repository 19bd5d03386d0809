/** Exports an end user's costs for revenue: one cost per bucket, in order, as one value. */
import { plain } from '#kernel/money.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { type EndUserOverTimeView, readEndUserPoints } from './end-user-points.step.ts';

/** Fails as `EndUserOverTime.costs` does. */
export async function exportEndUserCostLine(context: SubgraphContext, view: EndUserOverTimeView): Promise<string[]> {
  return (await readEndUserPoints(context, view)).map(({ cost }) => plain(cost));
}
