/** Costs of end users in export form. */
import { amount, plain } from '#kernel/money.ts';
import { mapInSlices } from '#platform/slices.ts';
import type { EndUserCostLine, EndUserCostLines } from '#schema/end-user-cost-lines.ts';
import type { EndUserCostRow } from './end-user-costs.query.ts';

/** Works in slices, so that other requests are served in between. */
export async function costLines(rows: readonly EndUserCostRow[]): Promise<EndUserCostLines> {
  let [unassigned, total, count] = [{ cost: '0', count: 0 }, 0n, 0];
  const lines = await mapInSlices(rows, (row): EndUserCostLine | null => {
    const cost = amount(row.totalCost);
    const events = Number(row.eventCount);
    total += cost;
    count += events;
    if (row.externalId !== null) return [row.endUserId, row.externalId, plain(cost), events];
    unassigned = { cost: plain(cost), count: events };
    return null;
  });
  return { endUsers: lines.filter((line) => line !== null), unassigned, total: { cost: plain(total), count } };
}
