/** Costs of a window by provider: all of them, so that the items add up to the total. */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { amount } from '../../../kernel/money.ts';
import { readProviderCosts } from './provider-costs.query.ts';
import type { ProviderCosts } from '../resolvers.generated.ts';
import { share, totalOf } from './figures.ts';
import type { Span } from '../../../kernel/time/split-window.ts';

export async function breakDownByProvider(context: SubgraphContext, window: Span): Promise<ProviderCosts> {
  const organizationId = organizationOf(context);
  const rows = await context.database.read(organizationId, (tx) =>
    readProviderCosts(tx, organizationId, window),
  );
  const totalCost = totalOf(rows);
  return {
    items: rows.map((row) => ({
      providerId: row.provider_id,
      providerSlug: row.provider_slug,
      providerName: row.provider_name,
      totalCost: amount(row.total_cost),
      eventCount: Number(row.event_count),
      percentOfTotal: share(amount(row.total_cost), totalCost),
    })),
    totalCost,
  };
}
