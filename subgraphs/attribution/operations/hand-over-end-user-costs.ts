/**
 * The window's cost of every end user, in bulk, for revenue: the gateway carries it as one value and looks into none of
 * it.
 */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { money, plain } from '../../../schema/money.ts';
import { readEndUserCosts } from '../data/end-user-costs.ts';
import { totalOf } from '../rules/figures.ts';
import type { Span } from '../rules/split-window.ts';

/** Cost in USD as a plain decimal, and number of ledger entries. */
export interface CostOfSome {
  readonly cost: string;
  readonly count: number;
}

export interface EndUserCostLines {
  /** `[endUserId, externalId, cost, entryCount]`, in no order. */
  readonly endUsers: readonly (readonly [string, string, string, number])[];
  /** Entries of events that name no end user. */
  readonly unassigned: CostOfSome;
  /** Everything in the window. */
  readonly total: CostOfSome;
}

export async function handOverEndUserCosts(context: SubgraphContext, window: Span): Promise<EndUserCostLines> {
  const organizationId = organizationOf(context);
  const rows = await context.database.forOrganization(organizationId, (em) =>
    readEndUserCosts(em, organizationId, window),
  );
  const nobody = rows.find(({ external_id: externalId }) => externalId === null);
  return {
    endUsers: rows.flatMap((row) =>
      row.external_id === null
        ? []
        : [[row.end_user_id, row.external_id, plain(money(row.total_cost)), Number(row.entry_count)] as const],
    ),
    unassigned: { cost: plain(money(nobody?.total_cost ?? '0')), count: Number(nobody?.entry_count ?? 0) },
    total: { cost: plain(totalOf(rows)), count: rows.reduce((count, row) => count + Number(row.entry_count), 0) },
  };
}
