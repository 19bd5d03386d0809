/** Which buckets a series over time has (trend rule 1, decision 9, D30): they depend on the window alone. */
import { nextUnitStart, unitStart } from './calendar.ts';
import { DAY_MS } from './duration.ts';
import { type Instant, instantAt, microsOf } from './instant.ts';
import type { Window } from './window.ts';

type Granularity = 'daily' | 'weekly' | 'monthly';
/** The same in PostgreSQL's words. */
export type BucketUnit = 'day' | 'week' | 'month';

const DAY_MICROS = BigInt(DAY_MS) * 1000n;
const DAILY_DAYS_MAX = 30n;
const WEEKLY_DAYS_MAX = 90n;
const UNITS = { daily: 'day', weekly: 'week', monthly: 'month' } as const satisfies Record<Granularity, BucketUnit>;

export interface TrendBucket {
  /** First day of the bucket, `YYYY-MM-DD`, also where the window cuts into it. */
  readonly date: string;
  /** The part of the bucket that lies in the window. */
  readonly start: Instant;
  readonly end: Instant;
}

export interface TrendBuckets {
  readonly granularity: Granularity;
  readonly unit: BucketUnit;
  /** Those that the window touches, in order; their parts add up to the window. */
  readonly buckets: readonly TrendBucket[];
}

export function trendBuckets(window: Window): TrendBuckets {
  const start = microsOf(window.start);
  const end = microsOf(window.end);
  const granularity = granularityOf(end - start);
  const unit = UNITS[granularity];
  const buckets: TrendBucket[] = [];
  for (let first = unitStart(start, unit); first < end; first = nextUnitStart(first, unit)) {
    const next = nextUnitStart(first, unit);
    buckets.push({
      date: new Date(Number(first / 1000n)).toISOString().slice(0, 'YYYY-MM-DD'.length),
      start: first <= start ? window.start : instantAt(first),
      end: next >= end ? window.end : instantAt(next),
    });
  }
  return { granularity, unit, buckets };
}

/** Up to 30 days daily, up to 90 weekly, above monthly; a day that has begun counts. */
function granularityOf(micros: bigint): Granularity {
  const days = (micros + DAY_MICROS - 1n) / DAY_MICROS;
  if (days <= DAILY_DAYS_MAX) return 'daily';
  return days <= WEEKLY_DAYS_MAX ? 'weekly' : 'monthly';
}
