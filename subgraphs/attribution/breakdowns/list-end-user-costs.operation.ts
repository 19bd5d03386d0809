/** Costs by end user, a page at a time, and costs of events without an end user. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#schema/errors.ts';
import { type Amount, amount } from '#kernel/money.ts';
import { END_USERS_PER_PAGE_MAX } from '../config.ts';
import { type EndUserCostPageRow, readEndUserCostPage } from './end-user-costs.query.ts';
import type { EndUserCost, EndUserCosts } from '../resolvers.generated.ts';
import { share } from './figures.ts';
import type { Window } from '#kernel/time/window.ts';

/** The end user is resolved from its external id. */
interface EndUserCostView extends Omit<EndUserCost, 'endUser'> {
  readonly endUser: { readonly externalId: string } | null;
}

interface EndUserCostsView extends Omit<EndUserCosts, 'items' | 'unassigned'> {
  readonly items: EndUserCostView[];
  readonly unassigned: EndUserCostView;
}

export async function listEndUserCosts(
  context: SubgraphContext,
  window: Window,
  page: { limit: number; offset: number },
): Promise<EndUserCostsView> {
  const organizationId = organizationOf(context);
  if (page.limit < 1 || page.limit > END_USERS_PER_PAGE_MAX)
    fail('VALIDATION_ERROR', `limit must be from 1 to ${END_USERS_PER_PAGE_MAX}`);
  if (page.offset < 0) fail('VALIDATION_ERROR', 'offset must be 0 or more');
  const rows = await context.database.readOnce(organizationId, (tx) =>
    readEndUserCostPage(tx, organizationId, window, page),
  );
  const totalCost = amount(rows[0]?.populationCost ?? '0');
  const unattributed = rows.find(({ externalId }) => externalId === null);
  return {
    items: rows.filter((row) => row !== unattributed).map((row) => endUserCost(row, totalCost)),
    unassigned: unattributed
      ? endUserCost(unattributed, totalCost)
      : { endUserId: null, externalId: null, endUser: null, totalCost: 0n, eventCount: 0, percentOfTotal: 0 },
    totalCost,
    totalEndUsers: Number(rows[0]?.populationEndUsers ?? 0),
  };
}

function endUserCost(row: EndUserCostPageRow, total: Amount): EndUserCostView {
  const totalCost = amount(row.totalCost);
  return {
    endUserId: row.externalId === null ? null : row.endUserId,
    externalId: row.externalId,
    endUser: row.externalId === null ? null : { externalId: row.externalId },
    totalCost,
    eventCount: Number(row.eventCount),
    percentOfTotal: share(totalCost, total),
  };
}
