/** Costs of a window by provider. All providers are returned, so the items add up to the total. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { amount } from '#kernel/money.ts';
import type { Window } from '#kernel/time/window.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import type { ProviderCosts } from '../resolvers.generated.ts';
import { MODEL_KEY } from '../measures/rollup-keys.ts';
import { COST_COLUMNS, COST_SUMS } from '../measures/measure.ts';
import { type WindowStatement, readWindow } from '../rollups/read-window.query.ts';
import { share, totalOf } from './figures.ts';

const STATEMENT: WindowStatement = {
  columns: ['value', ...COST_COLUMNS],
  text: (rows) => `
    select provider_id, provider_slug, ${COST_SUMS},
      (array_agg(provider_name order by is_reported desc, event_count desc, provider_name collate "C"))[1] as provider_name
    from (
      select value::jsonb ->> 0 as provider_id, value::jsonb ->> 1 as provider_slug, value::jsonb ->> 2 as provider_name,
        value::jsonb -> 4 is null as is_reported, ${COST_SUMS}
      from (select value, ${COST_SUMS} from ${rows} as part group by value) as grouped
      group by 1, 2, 3, 4
    ) as named
    group by provider_id, provider_slug, case when provider_slug = 'unknown' then provider_name end`,
  order: 'total_cost desc, provider_name collate "C", provider_id collate "C"',
};

export async function breakDownByProvider(context: SubgraphContext, window: Window): Promise<ProviderCosts> {
  const organizationId = organizationOf(context);
  const rows = await context.database.snapshot(organizationId, (tx) => readProviderCosts(tx, organizationId, window));
  const totalCost = totalOf(rows);
  return {
    items: rows.map((row) => ({
      providerId: row.providerId,
      providerSlug: row.providerSlug,
      providerName: row.providerName,
      totalCost: amount(row.totalCost),
      eventCount: Number(row.eventCount),
      percentOfTotal: share(amount(row.totalCost), totalCost),
    })),
    totalCost,
  };
}

interface ProviderCostRow {
  readonly providerId: string;
  readonly providerSlug: string;
  /**
   * The name that events reported; if there are several, the one with the most events. The catalogue's name is used
   * only if no event reported one.
   */
  readonly providerName: string;
  readonly totalCost: string;
  readonly eventCount: string;
}

/**
 * Sums by provider (decision 9, D32): one row per provider of the catalogue, and one per reported name that matches
 * none of them. Costliest first.
 */
function readProviderCosts(
  tx: Transaction,
  organizationId: OrganizationId,
  window: Window,
): Promise<ProviderCostRow[]> {
  return readWindow<ProviderCostRow>(tx, { organizationId, key: MODEL_KEY, window }, STATEMENT);
}
