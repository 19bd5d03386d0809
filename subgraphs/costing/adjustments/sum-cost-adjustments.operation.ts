/** `Window.adjustmentTotal`: the sum of the adjustments booked on the days that start in a window, for revenue. */
import type { Window } from '#kernel/time/window.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { daysOfWindow } from '../fixed-costs/days.ts';
import { sumAdjustments } from './cost-adjustment.table.ts';

/** USD, as text. */
export async function sumCostAdjustments(context: SubgraphContext, window: Window): Promise<string> {
  const organizationId = organizationOf(context);
  const { amount } = await context.database.snapshot(organizationId, (tx) =>
    sumAdjustments(tx, { organizationId, ...daysOfWindow(window) }),
  );
  return amount;
}
