/** `Window.recognizedRevenue`: revenue by day, week or month. */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { amount } from '../../../kernel/money.ts';
import { revenueOfSpans } from './revenue-series.query.ts';
import type { RevenueTrend } from '../resolvers.generated.ts';
import { readWindow } from '../../../kernel/time/read-window.ts';
import { trendBuckets } from './trend-buckets.ts';

export async function recognizeOverTime(
  context: SubgraphContext,
  window: { start: string; end: string },
): Promise<RevenueTrend> {
  const organizationId = organizationOf(context);
  const { start, end } = readWindow(window);
  const { granularity, buckets } = trendBuckets(start, end);
  const revenue = await context.database.read(organizationId, (tx) =>
    revenueOfSpans(tx, organizationId, buckets),
  );
  return { granularity, dataPoints: buckets.map(({ date }, index) => ({ date, revenue: amount(revenue[index] ?? '0') })) };
}
