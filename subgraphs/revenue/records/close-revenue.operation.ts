/** Closes months: later changes to them are booked in the first open month. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { type ClosedMonths, closeMonths } from '#platform/subgraph/move-closing.ts';
import { REVENUE_CLOSING } from './closing.step.ts';

export function closeRevenue(context: SubgraphContext, through: string): Promise<ClosedMonths> {
  return closeMonths(context, REVENUE_CLOSING, through);
}
