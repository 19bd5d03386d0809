/** The buckets of a trend (trend rule 1, decision 9, D30). They depend only on the window. */
import { type CalendarUnit, nextUnitStart, unitStart } from './calendar.ts';
import { fail } from '../errors.ts';
import { DAY_MS } from './duration.ts';
import { type Instant, instantAt, microsOf } from './instant.ts';
import type { Window } from './window.ts';

type Granularity = 'daily' | 'weekly' | 'monthly';
/** PostgreSQL's names for the units. The contract's trends have no hours. */
export type BucketUnit = CalendarUnit;

const DAY_MICROS = BigInt(DAY_MS) * 1000n;
const DAILY_DAYS_MAX = 30n;
const WEEKLY_DAYS_MAX = 90n;
const UNITS = { daily: 'day', weekly: 'week', monthly: 'month' } as const satisfies Record<Granularity, BucketUnit>;

export interface TrendBucket {
  /** First day of the bucket, `YYYY-MM-DD`, even if it is before the window. */
  readonly date: string;
  /** Start of the bucket, even if it is before the window. */
  readonly first: Instant;
  /** The part of the bucket inside the window. */
  readonly start: Instant;
  readonly end: Instant;
}

export interface TrendBuckets {
  readonly granularity: Granularity;
  readonly unit: BucketUnit;
  /** The buckets that overlap the window, in order; their parts add up to the window. */
  readonly buckets: readonly TrendBucket[];
}

/** Buckets of the granularity that the contract assigns to a window of this length. */
export function trendBuckets(window: Window): TrendBuckets {
  const granularity = granularityOf(microsOf(window.end) - microsOf(window.start));
  const unit = UNITS[granularity];
  return { granularity, unit, buckets: bucketsOf(window, unit) };
}

/** Buckets chosen by a GraphQL caller. */
export type ChosenGranularity = Uppercase<BucketUnit>;

const POINTS_MAX = 1_000;

/** Fails with `VALIDATION_ERROR` if there would be too many points. */
export function granularBuckets(
  window: Window,
  granularity: ChosenGranularity,
): { readonly unit: BucketUnit; readonly buckets: readonly TrendBucket[] } {
  const unit = granularity.toLowerCase() as BucketUnit;
  const buckets = bucketsOf(window, unit, POINTS_MAX + 1);
  if (buckets.length > POINTS_MAX)
    fail(
      'VALIDATION_ERROR',
      `A trend can have at most ${POINTS_MAX} points: use a coarser granularity than ${granularity}, or a shorter window`,
    );
  return { unit, buckets };
}

/** The buckets of a unit that overlap the window, in order, at most `max`. */
function bucketsOf(window: Window, unit: BucketUnit, max = Infinity): TrendBucket[] {
  const start = microsOf(window.start);
  const end = microsOf(window.end);
  const buckets: TrendBucket[] = [];
  for (let first = unitStart(start, unit); first < end && buckets.length < max; first = nextUnitStart(first, unit)) {
    const next = nextUnitStart(first, unit);
    buckets.push({
      date: new Date(Number(first / 1000n)).toISOString().slice(0, 'YYYY-MM-DD'.length),
      first: instantAt(first),
      start: first <= start ? window.start : instantAt(first),
      end: next >= end ? window.end : instantAt(next),
    });
  }
  return buckets;
}

/** Daily up to 30 days, weekly up to 90, monthly above; a started day counts. */
function granularityOf(micros: bigint): Granularity {
  const days = (micros + DAY_MICROS - 1n) / DAY_MICROS;
  if (days <= DAILY_DAYS_MAX) return 'daily';
  return days <= WEEKLY_DAYS_MAX ? 'weekly' : 'monthly';
}
