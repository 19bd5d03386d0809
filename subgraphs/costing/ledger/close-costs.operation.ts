/** Closes months: later changes to their costs are booked in the open month. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { type ClosedMonths, closeMonths } from '#platform/subgraph/move-closing.ts';
import { COST_CLOSING } from './closing.step.ts';

export function closeCosts(context: SubgraphContext, through: string): Promise<ClosedMonths> {
  return closeMonths(context, COST_CLOSING, through);
}
