/** Fits the cells of a trend into its buckets. */
import { type Amount, amount } from '#kernel/money.ts';
import type { Instant } from '#kernel/time/instant.ts';
import type { TrendBucket } from '#kernel/time/trend-buckets.ts';
import type { SelectedTrendCell } from './selected-trend.query.ts';

export interface CostTrendCell {
  /** First instant of the bucket. */
  readonly start: Instant;
  readonly cost: Amount;
  readonly eventCount: number;
}

/** Returns every bucket, including empty ones. */
export function cellPoints(buckets: readonly TrendBucket[], cells: readonly SelectedTrendCell[]): CostTrendCell[] {
  const byFirst = new Map(cells.map((cell) => [cell.first, cell]));
  return buckets.map(({ first }) => {
    const cell = byFirst.get(first.iso);
    return { start: first, cost: amount(cell?.totalCost ?? '0'), eventCount: Number(cell?.eventCount ?? 0) };
  });
}
