/** `EndUserOverTime.margins`: revenue and cost of an end user per bucket. */
import { amount } from '#kernel/money.ts';
import { type ChosenGranularity, granularBuckets } from '#kernel/time/trend-buckets.ts';
import { parseWindow, windowSoFar } from '#kernel/time/window.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { requestedAt } from '#platform/subgraph/requested-at.ts';
import { revenueByBucket } from '../recognition/revenue-series.query.ts';
import type { EndUserMarginPoint } from '../resolvers.generated.ts';
import { marginOf } from './margin.ts';

export interface EndUserOverTimeCosts {
  readonly externalId: string;
  readonly start: string;
  readonly end: string;
  readonly granularity: ChosenGranularity;
  /** USD per bucket, in order. */
  readonly costLine: readonly string[];
}

/** Throws if the buckets of cost and revenue differ. */
export async function compareEndUserOverTime(
  context: SubgraphContext,
  { externalId, start, end, granularity, costLine }: EndUserOverTimeCosts,
): Promise<EndUserMarginPoint[]> {
  const organizationId = organizationOf(context);
  const { buckets } = granularBuckets(parseWindow({ start, end }), granularity);
  if (costLine.length !== buckets.length)
    throw new Error(`The costs have ${costLine.length} buckets, but the revenue has ${buckets.length}`);
  const until = requestedAt(context);
  const passed = buckets.map((bucket) => ({ ...bucket, ...windowSoFar(bucket, until) }));
  const earned = await context.database.snapshot(organizationId, (tx) =>
    revenueByBucket(tx, organizationId, passed, { endUser: externalId }),
  );
  return buckets.map(({ first }, index) => {
    const revenue = earned[index]!;
    const cost = amount(costLine[index]!);
    const margin = marginOf(revenue, cost);
    return { start: first, revenue, cost, marginAmount: margin.amount, marginPercent: margin.percent };
  });
}
