/** `FixedCost.effectivePrice`: the cost per unit of the used part of a fixed cost. */
import type { Window } from '#kernel/time/window.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { Driver } from './fixed-cost.ts';
import type { FixedCostView } from './fixed-cost-view.ts';
import { readUtilisation } from './read-utilisation.step.ts';
import { effectivePriceOf, type EffectivePrice } from './utilisation.ts';

/** Fails like `readUtilisation`. */
export async function getEffectivePrice(
  context: SubgraphContext,
  fixedCost: Pick<FixedCostView, 'fixedCostId' | 'driver'>,
  window: Window,
): Promise<EffectivePrice | null> {
  const driver = fixedCost.driver.toLowerCase() as Driver;
  return effectivePriceOf({ driver }, await readUtilisation(context, fixedCost, window));
}
