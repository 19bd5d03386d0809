/** Costs over time (the contract's trend rules). The arguments determine which lines are returned. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { TREND_VALUES_MAX } from '../config.ts';
import { isDimension } from '../dimensions/dimension.table.ts';
import { findEndUser } from '../end-users/end-user.table.ts';
import { readEndUserTrend, readTopTrend, readTotalTrend, readValueTrend } from './trend-cells.query.ts';
import type { Trend, TrendSeries } from '../resolvers.generated.ts';
import type { Window } from '#kernel/time/window.ts';
import { type TrendBuckets, trendBuckets } from '#kernel/time/trend-buckets.ts';
import { type TrendQuery, trendSubject } from './trend-subject.ts';
import { REST, topSeries, trendSeries } from './trend-series.ts';

/** Fails with `NOT_FOUND` for an unknown dimension or end user. */
export async function getTrend(context: SubgraphContext, window: Window, query: TrendQuery): Promise<Trend> {
  const organizationId = organizationOf(context);
  const trend = trendBuckets(window);
  const series = await context.database.snapshot(organizationId, (tx) =>
    toSeries(tx, organizationId, window, trend, query),
  );
  return { granularity: trend.granularity, series };
}

async function toSeries(
  tx: Transaction,
  organizationId: OrganizationId,
  window: Window,
  { unit, buckets }: TrendBuckets,
  query: TrendQuery,
): Promise<TrendSeries[]> {
  const subject = trendSubject(query);
  if (subject.kind === 'total') {
    return [trendSeries('total', 'Total', buckets, await readTotalTrend(tx, organizationId, window, unit))];
  }
  if (subject.kind === 'end-user') {
    const { id, externalId } =
      (await findEndUser(tx, organizationId, subject.id)) ?? fail('NOT_FOUND', 'Unknown end_user_id');
    return [trendSeries(id, externalId, buckets, await readEndUserTrend(tx, organizationId, id, window, unit))];
  }
  if (!(await isDimension(tx, organizationId, subject.key))) fail('NOT_FOUND', 'Unknown dimension_key');
  const input = { organizationId, key: subject.key, window };
  if (subject.kind === 'value') {
    return [trendSeries(subject.value, subject.value, buckets, await readValueTrend(tx, input, subject.value, unit))];
  }
  return topSeries(buckets, await readTopTrend(tx, input, { unit, valuesMax: TREND_VALUES_MAX, rest: REST }));
}
