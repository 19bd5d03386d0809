/** `Window.marginTrend`: revenue beside cost by day, week or month. */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { amount } from '../../../kernel/money.ts';
import { revenueOfSpans } from '../recognition/revenue-series.query.ts';
import type { MarginTrend } from '../resolvers.generated.ts';
import { marginOf } from './margin.ts';
import { readWindow } from '../../../kernel/time/read-window.ts';
import { trendBuckets } from '../recognition/trend-buckets.ts';

/** Attribution's trend of the whole organization: one series. */
export interface CostTrend {
  readonly series: readonly { readonly dataPoints: readonly { readonly date: string; readonly cost: string }[] }[];
}

/** Buckets are found by their first day: revenue and cost of a day stand beside each other, whoever made the bucket. */
export async function compareOverTime(
  context: SubgraphContext,
  window: { start: string; end: string },
  trend: CostTrend,
): Promise<MarginTrend> {
  const organizationId = organizationOf(context);
  const { start, end } = readWindow(window);
  const { granularity, buckets } = trendBuckets(start, end);
  const earned = await context.database.read(organizationId, (tx) => revenueOfSpans(tx, organizationId, buckets));
  const costs = new Map(trend.series.flatMap(({ dataPoints }) => dataPoints).map(({ date, cost }) => [date, cost]));
  return {
    granularity,
    dataPoints: buckets.map(({ date }, index) => {
      const revenue = amount(earned[index] ?? '0');
      const cost = amount(costs.get(date) ?? '0');
      const margin = marginOf(revenue, cost);
      return { date, revenue, cost, marginAmount: margin.amount, marginPercent: margin.percent };
    }),
  };
}
