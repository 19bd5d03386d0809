/** The utilisation of a fixed cost in a window: its allocated days in their current state. */
import { refuseMonthsOver, type Window } from '#kernel/time/window.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { listAllocationDays } from './allocation-day.table.ts';
import { daysOfWindow } from './days.ts';
import { utilisationOf, type Utilisation } from './utilisation.ts';
import type { FixedCostView } from './fixed-cost-view.ts';

const MONTHS_MAX = 12;

/** Fails with `UNPROCESSABLE_ENTITY` for more than 12 calendar months. */
export async function readUtilisation(
  context: SubgraphContext,
  { fixedCostId }: Pick<FixedCostView, 'fixedCostId'>,
  window: Window,
): Promise<Utilisation> {
  refuseMonthsOver(window, MONTHS_MAX);
  const organizationId = organizationOf(context);
  const days = await context.database.find(organizationId, (tx) =>
    listAllocationDays(tx, organizationId, fixedCostId, daysOfWindow(window)),
  );
  return utilisationOf(days);
}
