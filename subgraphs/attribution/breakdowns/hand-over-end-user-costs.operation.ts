/**
 * The window's cost of every end user, in bulk, for revenue: the gateway carries it as one value and looks into none of
 * it.
 */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import type { EndUserCostLines } from '../../../schema/end-user-cost-lines.ts';
import { amount, plain } from '../../../kernel/money.ts';
import { readEndUserCosts } from './end-user-costs.query.ts';
import { totalOf } from './figures.ts';
import type { Span } from '../../../kernel/time/split-window.ts';

export async function handOverEndUserCosts(context: SubgraphContext, window: Span): Promise<EndUserCostLines> {
  const organizationId = organizationOf(context);
  const rows = await context.database.read(organizationId, (tx) =>
    readEndUserCosts(tx, organizationId, window),
  );
  const nobody = rows.find(({ external_id: externalId }) => externalId === null);
  return {
    endUsers: rows.flatMap((row) =>
      row.external_id === null
        ? []
        : [[row.end_user_id, row.external_id, plain(amount(row.total_cost)), Number(row.event_count)] as const],
    ),
    unassigned: { cost: plain(amount(nobody?.total_cost ?? '0')), count: Number(nobody?.event_count ?? 0) },
    total: { cost: plain(totalOf(rows)), count: rows.reduce((count, row) => count + Number(row.event_count), 0) },
  };
}
