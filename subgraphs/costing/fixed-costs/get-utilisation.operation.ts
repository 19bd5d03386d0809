/** `FixedCost.utilisation` and `FixedCost.effectivePrice`: the allocated days of a window as they stand now. */
import { refuseMonthsOver, type Window } from '#kernel/time/window.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { findAllocatedUntil, listAllocationDays } from './allocation-day.table.ts';
import { daysOfWindow } from './days.ts';
import { effectivePriceOf, type EffectivePrice, utilisationOf, type Utilisation } from './utilisation.ts';
import type { FixedCostView } from './fixed-cost-view.ts';
import type { Driver } from './fixed-cost.ts';

const MONTHS_MAX = 12;

/** Fails with `UNPROCESSABLE_ENTITY` for more than 12 calendar months. */
export async function getUtilisation(
  context: SubgraphContext,
  { fixedCostId }: Pick<FixedCostView, 'fixedCostId'>,
  window: Window,
): Promise<Utilisation> {
  refuseMonthsOver(window, MONTHS_MAX);
  const organizationId = organizationOf(context);
  const days = await context.database.readOnce(organizationId, (tx) =>
    listAllocationDays(tx, organizationId, fixedCostId, daysOfWindow(window)),
  );
  return utilisationOf(days);
}

export async function getEffectivePrice(
  context: SubgraphContext,
  fixedCost: Pick<FixedCostView, 'fixedCostId' | 'driver'>,
  window: Window,
): Promise<EffectivePrice | null> {
  const driver = fixedCost.driver.toLowerCase() as Driver;
  return effectivePriceOf({ driver }, await getUtilisation(context, fixedCost, window));
}

/** The day after the last allocated one; null before the first. */
export function getAllocatedUntil(
  context: SubgraphContext,
  { fixedCostId }: Pick<FixedCostView, 'fixedCostId'>,
): Promise<string | null> {
  const organizationId = organizationOf(context);
  return context.database.readOnce(organizationId, (tx) => findAllocatedUntil(tx, organizationId, fixedCostId));
}
