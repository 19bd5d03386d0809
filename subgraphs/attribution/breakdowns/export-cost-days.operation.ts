/** Exports the window's cost of every end user by day, for margins in another currency. */
import { plainText } from '#kernel/money.ts';
import type { Window } from '#kernel/time/window.ts';
import { mapInSlices } from '#platform/slices.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { DayCost, EndUserCostDays } from '#schema/end-user-cost-days.ts';
import { fail } from '#kernel/errors.ts';
import { HANDED_OVER_DAYS_MAX } from '../config.ts';
import { type EndUserCostDayRow, readEndUserCostDays } from './end-user-cost-days.query.ts';

interface Line {
  readonly externalId: string | null;
  count: number;
  readonly costs: DayCost[];
}

/** Fails with `UNPROCESSABLE_ENTITY` if there are more pairs of end user and day than one request may hold. */
export async function exportCostDays(context: SubgraphContext, window: Window): Promise<EndUserCostDays> {
  const organizationId = organizationOf(context);
  const rows = await context.database.find(organizationId, (tx) =>
    readEndUserCostDays(tx, organizationId, window, HANDED_OVER_DAYS_MAX + 1),
  );
  if (rows.length > HANDED_OVER_DAYS_MAX)
    fail(
      'UNPROCESSABLE_ENTITY',
      `A margin in another currency can have at most ${HANDED_OVER_DAYS_MAX} pairs of end user and day: use a shorter window`,
    );
  return costDays(rows);
}

async function costDays(rows: readonly EndUserCostDayRow[]): Promise<EndUserCostDays> {
  const days = [...new Set(rows.flatMap(({ day }) => day ?? []))].sort();
  const places = new Map(days.map((day, place) => [day, place]));
  const lines = new Map<string, Line>();
  await mapInSlices(rows, ({ endUserId, externalId, day, totalCost, eventCount }) => {
    const line = lines.get(endUserId) ?? { externalId, count: 0, costs: [] };
    lines.set(endUserId, line);
    if (day === null || totalCost === null) return;
    line.count += Number(eventCount);
    line.costs.push([places.get(day)!, plainText(totalCost)]);
  });
  let unassigned: EndUserCostDays['unassigned'] = { count: 0, costs: [] };
  const endUsers: EndUserCostDays['endUsers'][number][] = [];
  for (const [endUserId, { externalId, count, costs }] of lines) {
    if (externalId === null) unassigned = { count, costs };
    else endUsers.push([endUserId, externalId, count, costs]);
  }
  return { days, endUsers, unassigned };
}
