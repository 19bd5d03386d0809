/** Which buckets a trend has (trend rule 1, decisions.md D30): they depend on the window alone. */
import type { Span } from './split-window.ts';
import { toMicros } from './split-window.ts';

export type Granularity = 'daily' | 'weekly' | 'monthly';
/** The same in PostgreSQL's words. */
export type BucketUnit = 'day' | 'week' | 'month';

const DAY_MS = 86_400_000;
const DAILY_DAYS_MAX = 30n;
const WEEKLY_DAYS_MAX = 90n;
const UNITS = { daily: 'day', weekly: 'week', monthly: 'month' } as const satisfies Record<Granularity, BucketUnit>;

export interface TrendBuckets {
  readonly granularity: Granularity;
  readonly unit: BucketUnit;
  /** First day of each bucket that the window touches, `YYYY-MM-DD`, in order. */
  readonly dates: readonly string[];
}

export function trendBuckets(window: Span): TrendBuckets {
  const granularity = granularityOf(window);
  const unit = UNITS[granularity];
  const dates: string[] = [];
  const last = Number((toMicros(window.end) - 1n) / 1000n);
  for (let at = bucketStart(Number(toMicros(window.start) / 1000n), unit); at <= last; at = bucketAfter(at, unit)) {
    dates.push(new Date(at).toISOString().slice(0, 'YYYY-MM-DD'.length));
  }
  return { granularity, unit, dates };
}

/** Up to 30 days daily, up to 90 weekly, above monthly; a day that has begun counts. */
function granularityOf({ start, end }: Span): Granularity {
  const dayMicros = BigInt(DAY_MS) * 1000n;
  const days = (toMicros(end) - toMicros(start) + dayMicros - 1n) / dayMicros;
  if (days <= DAILY_DAYS_MAX) return 'daily';
  return days <= WEEKLY_DAYS_MAX ? 'weekly' : 'monthly';
}

function bucketStart(ms: number, unit: BucketUnit): number {
  const date = new Date(ms);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (unit === 'month') return Date.UTC(year, month, 1);
  // Weeks are ISO weeks: they begin on Monday.
  return Date.UTC(year, month, unit === 'week' ? day - ((date.getUTCDay() + 6) % 7) : day);
}

function bucketAfter(ms: number, unit: BucketUnit): number {
  const date = new Date(ms);
  if (unit === 'month') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  return ms + (unit === 'week' ? 7 : 1) * DAY_MS;
}
