/** `Window.recognizedRevenue`: revenue by day, week or month. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { now } from '#platform/clock.ts';
import { fail } from '#kernel/errors.ts';
import { revenueByBucket } from './revenue-series.query.ts';
import type { RevenueTrend } from '../resolvers.generated.ts';
import { trendBuckets } from '#kernel/time/trend-buckets.ts';
import { requireInstant } from '#kernel/time/instant.ts';
import type { Window } from '#kernel/time/window.ts';

/**
 * USD per bucket; with `asOf`, as known at that instant. Fails with `VALIDATION_ERROR` for an instant in the future.
 */
export async function recognizeOverTime(
  context: SubgraphContext,
  window: Window,
  asOf: string | null,
): Promise<RevenueTrend> {
  const organizationId = organizationOf(context);
  const instant = asOf === null ? null : new Date(requireInstant('asOf', asOf).epochMs);
  if (instant !== null && instant > now()) fail('VALIDATION_ERROR', 'asOf must not be in the future');
  const { granularity, buckets } = trendBuckets(window);
  const revenue = await context.database.snapshot(organizationId, (tx) =>
    revenueByBucket(tx, organizationId, buckets, { asOf: instant }),
  );
  return { granularity, dataPoints: buckets.map(({ date }, index) => ({ date, revenue: revenue[index]! })) };
}
