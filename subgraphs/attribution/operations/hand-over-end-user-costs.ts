/**
 * The window's cost of every end user, in bulk, for revenue: the gateway carries it as one value and looks into none of
 * it.
 */
import { mapInSlices } from '../../../platform/slices.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import type { EndUserCostLine, EndUserCostLines } from '../../../schema/end-user-cost-lines.ts';
import { fail } from '../../../schema/errors.ts';
import { amount, plain } from '../../../schema/money.ts';
import { HANDED_OVER_END_USERS_MAX } from '../config.ts';
import { type EndUserCostRow, readEndUserCosts } from '../data/end-user-costs.ts';
import type { Span } from '../rules/split-window.ts';

/** Fails with `UNPROCESSABLE_ENTITY` for more end users than one request may hold. */
export async function handOverEndUserCosts(context: SubgraphContext, window: Span): Promise<EndUserCostLines> {
  const organizationId = organizationOf(context);
  // One of the rows is nobody's.
  const rowsMax = HANDED_OVER_END_USERS_MAX + 1;
  const rows = await context.database.read(organizationId, (tx) => readEndUserCosts(tx, organizationId, window, rowsMax + 1));
  if (rows.length > rowsMax) {
    fail('UNPROCESSABLE_ENTITY', `A margin takes at most ${HANDED_OVER_END_USERS_MAX} end users: this organization has more`);
  }
  return costLines(rows);
}

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
