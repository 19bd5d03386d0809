/** Rows of end users' costs as they are handed over, and what they add up to. */
import { mapInSlices } from '../../../platform/slices.ts';
import type { EndUserCostLine, EndUserCostLines } from '../../../schema/end-user-cost-lines.ts';
import { amount, plain } from '../../../schema/money.ts';
import type { EndUserCostRow } from '../data/end-user-costs.ts';

/** Made while others are served. */
export async function costLines(rows: readonly EndUserCostRow[]): Promise<EndUserCostLines> {
  let [unassigned, total, count] = [{ cost: '0', count: 0 }, 0n, 0];
  const lines = await mapInSlices(rows, (row): EndUserCostLine | null => {
    const cost = amount(row.total_cost);
    const events = Number(row.event_count);
    total += cost;
    count += events;
    if (row.external_id !== null) return [row.end_user_id, row.external_id, plain(cost), events];
    unassigned = { cost: plain(cost), count: events };
    return null;
  });
  return { endUsers: lines.filter((line) => line !== null), unassigned, total: { cost: plain(total), count } };
}
