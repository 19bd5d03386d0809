/** `Window.recognizedRevenue`: revenue by day, week or month. */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { amount } from '../../../kernel/money.ts';
import { revenueByBucket } from './revenue-series.query.ts';
import type { RevenueTrend } from '../resolvers.generated.ts';
import { trendBuckets } from '../../../kernel/time/trend-buckets.ts';
import type { Window } from '../../../kernel/time/window.ts';

export async function recognizeOverTime(context: SubgraphContext, window: Window): Promise<RevenueTrend> {
  const organizationId = organizationOf(context);
  const { granularity, buckets } = trendBuckets(window);
  const revenue = await context.database.read(organizationId, (tx) => revenueByBucket(tx, organizationId, buckets));
  return { granularity, dataPoints: buckets.map(({ date }, index) => ({ date, revenue: amount(revenue[index]!) })) };
}
