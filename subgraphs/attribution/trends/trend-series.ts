/** Fits cells into the buckets of a trend. Every bucket is included, even without events (decision 9, D30). */
import { amount } from '#kernel/money.ts';
import type { TrendBucket } from '#kernel/time/trend-buckets.ts';
import type { TrendCell, ValueTrendCell } from './trend-cells.query.ts';
import type { TrendSeries } from '../resolvers.generated.ts';

/** Key and label of the line for everything except the costliest values. */
export const REST = 'Other';

/** Returns one line. */
export function trendSeries(
  key: string,
  label: string,
  buckets: readonly TrendBucket[],
  cells: readonly TrendCell[],
): TrendSeries {
  const byDate = new Map(cells.map((cell) => [cell.date, cell]));
  return {
    key,
    label,
    dataPoints: buckets.map(({ date }) => {
      const cell = byDate.get(date);
      return { date, cost: cell ? amount(cell.totalCost) : 0n, eventCount: Number(cell?.eventCount ?? 0) };
    }),
  };
}

/** Returns a line for each of the costliest values, in order, then the rest, even if the rest is empty. */
export function topSeries(buckets: readonly TrendBucket[], cells: readonly ValueTrendCell[]): TrendSeries[] {
  const places = Map.groupBy(cells, ({ place }) => place);
  const top = [...places.entries()]
    .flatMap(([place, ofPlace]) => (place === null ? [] : [{ place, value: ofPlace[0]?.value ?? '', ofPlace }]))
    .sort((one, other) => one.place - other.place)
    .map(({ value, ofPlace }) => trendSeries(value, value, buckets, ofPlace));
  return [...top, trendSeries(REST, REST, buckets, places.get(null) ?? [])];
}
