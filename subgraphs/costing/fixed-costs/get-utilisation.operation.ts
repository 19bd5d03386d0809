/** `FixedCost.utilisation`: the allocated days of a window in their current state. */
import type { Window } from '#kernel/time/window.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { FixedCostView } from './fixed-cost-view.ts';
import { readUtilisation } from './read-utilisation.step.ts';
import type { Utilisation } from './utilisation.ts';

/** Fails like `readUtilisation`. */
export function getUtilisation(
  context: SubgraphContext,
  fixedCost: Pick<FixedCostView, 'fixedCostId'>,
  window: Window,
): Promise<Utilisation> {
  return readUtilisation(context, fixedCost, window);
}
