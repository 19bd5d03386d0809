/** Costs of one end user over time. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { endUserId } from '#kernel/end-user-id.ts';
import { readEndUserTrend } from './trend-cells.query.ts';
import type { Trend } from '../resolvers.generated.ts';
import type { Window } from '#kernel/time/window.ts';
import { trendBuckets } from '#kernel/time/trend-buckets.ts';
import { trendSeries } from './trend-series.ts';

export async function getEndUserTrend(context: SubgraphContext, externalId: string, window: Window): Promise<Trend> {
  const organizationId = organizationOf(context);
  const id = endUserId(organizationId, externalId);
  const { granularity, unit, buckets } = trendBuckets(window);
  const cells = await context.database.find(organizationId, (tx) =>
    readEndUserTrend(tx, organizationId, id, window, unit),
  );
  return { granularity, series: [trendSeries(id, externalId, buckets, cells)] };
}
