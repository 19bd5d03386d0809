/** Opens months that were closed. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { type ClosedMonths, reopenMonths } from '#platform/subgraph/move-closing.ts';
import { REVENUE_CLOSING } from './closing.step.ts';

export function reopenRevenue(context: SubgraphContext, from: string): Promise<ClosedMonths> {
  return reopenMonths(context, REVENUE_CLOSING, from);
}
