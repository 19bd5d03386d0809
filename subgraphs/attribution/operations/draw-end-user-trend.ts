/** Costs of one end user over time. */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { endUserId } from '../../../schema/end-user-id.ts';
import { readEndUserTrend } from '../data/end-user-costs.ts';
import type { Trend } from '../resolvers.generated.ts';
import type { Span } from '../rules/split-window.ts';
import { trendBuckets } from '../rules/trend-buckets.ts';
import { trendSeries } from '../rules/trend-series.ts';

export async function drawEndUserTrend(context: SubgraphContext, externalId: string, window: Span): Promise<Trend> {
  const organizationId = organizationOf(context);
  const id = endUserId(organizationId, externalId);
  const { granularity, unit, dates } = trendBuckets(window);
  const cells = await context.database.read(organizationId, (tx) =>
    readEndUserTrend(tx, organizationId, id, window, unit),
  );
  return { granularity, series: [trendSeries(id, externalId, dates, cells)] };
}
