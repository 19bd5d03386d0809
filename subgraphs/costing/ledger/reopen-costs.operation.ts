/** Reopens closed months. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { type ClosedMonths, reopenMonths } from '#platform/subgraph/move-closing.ts';
import { COST_CLOSING } from './closing.step.ts';

export function reopenCosts(context: SubgraphContext, from: string): Promise<ClosedMonths> {
  return reopenMonths(context, COST_CLOSING, from);
}
