/** `Window.marginTrend`: revenue and cost by day, week or month. */
import { amount } from '#kernel/money.ts';
import { type TrendBucket, trendBuckets } from '#kernel/time/trend-buckets.ts';
import { type Window, windowSoFar } from '#kernel/time/window.ts';
import { requestedAt } from '#platform/subgraph/requested-at.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { revenueByBucket } from '../recognition/revenue-series.query.ts';
import type { MarginTrend } from '../resolvers.generated.ts';
import { marginOf } from './margin.ts';

/** Attribution's trend of the whole organization, as one series. */
export interface CostTrend {
  readonly series: readonly { readonly dataPoints: readonly CostPoint[] }[];
}

interface CostPoint {
  /** First day of the bucket. */
  readonly date: string;
  /** USD; days without cost have an explicit zero. */
  readonly cost: string;
}

/** Throws if the buckets of cost and revenue differ: a missing cost is not a cost of 0. */
export async function compareOverTime(
  context: SubgraphContext,
  window: Window,
  trend: CostTrend,
): Promise<MarginTrend> {
  const organizationId = organizationOf(context);
  const { granularity, buckets } = trendBuckets(window);
  const costs = costsOf(trend, buckets);
  // Future days have no costs yet, so their revenue would inflate the margin.
  const until = requestedAt(context);
  const passed = buckets.map((bucket) => ({ ...bucket, ...windowSoFar(bucket, until) }));
  const earned = await context.database.snapshot(organizationId, (tx) => revenueByBucket(tx, organizationId, passed));
  return {
    granularity,
    dataPoints: costs.map(({ date, cost: costText }, index) => {
      const revenue = earned[index]!;
      const cost = amount(costText);
      const margin = marginOf(revenue, cost);
      return { date, revenue, cost, marginAmount: margin.amount, marginPercent: margin.percent };
    }),
  };
}

/** One point per bucket, in order. */
function costsOf({ series }: CostTrend, buckets: readonly TrendBucket[]): readonly CostPoint[] {
  const points = series.flatMap(({ dataPoints }) => dataPoints);
  const [costDates, revenueDates] = [points, buckets].map((dated) => dated.map(({ date }) => date).join(' '));
  if (costDates !== revenueDates)
    throw new Error(`The costs have the buckets ${costDates}, but the revenue has ${revenueDates}`);
  return points;
}
