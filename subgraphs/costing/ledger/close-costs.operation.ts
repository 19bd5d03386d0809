/** Closes months: what would change them is booked in the open one from then on. */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { type ClosedMonths, closeMonths } from '../../../platform/subgraph/move-closing.ts';
import { COST_CLOSING } from './closing.step.ts';

export function closeCosts(context: SubgraphContext, through: string): Promise<ClosedMonths> {
  return closeMonths(context, COST_CLOSING, through);
}
