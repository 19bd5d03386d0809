/** The buckets of a series over time (decisions.md D30). */
import { monthStart } from '../../../kernel/time/calendar.ts';
import type { Instant } from '../../../kernel/time/instant.ts';

export interface TrendBucket {
  /** The bucket's first day, also where the window cuts into it. */
  readonly date: string;
  /** The part of the bucket that lies in the window; ISO 8601 UTC. */
  readonly start: string;
  readonly end: string;
}

export interface TrendBuckets {
  readonly granularity: 'daily' | 'weekly' | 'monthly';
  readonly buckets: readonly TrendBucket[];
}

const DAY = 86_400_000;
/** 1970-01-01 was a Thursday: weeks begin three days before. */
const MONDAY_OFFSET = 3 * DAY;

/** UTC days up to 30 days, ISO weeks up to 90, else calendar months; length is counted in begun days. */
export function trendBuckets(start: Instant, end: Instant): TrendBuckets {
  const days = Math.ceil(
    (end.epochMs - start.epochMs + (end.iso > start.iso && end.epochMs === start.epochMs ? 1 : 0)) / DAY,
  );
  const granularity = days <= 30 ? 'daily' : days <= 90 ? 'weekly' : 'monthly';
  const buckets: TrendBucket[] = [];
  const last = new Date(end.iso);
  for (let first = floorTo(granularity, start.epochMs); ;) {
    const next = nextAfter(granularity, first);
    buckets.push({
      date: new Date(first).toISOString().slice(0, 10),
      start: first <= start.epochMs ? start.iso : new Date(first).toISOString(),
      end: next >= last.getTime() ? end.iso : new Date(next).toISOString(),
    });
    if (next >= end.epochMs + (end.iso.length > last.toISOString().length ? 1 : 0)) return { granularity, buckets };
    first = next;
  }
}

function floorTo(granularity: TrendBuckets['granularity'], time: number): number {
  if (granularity === 'daily') return Math.floor(time / DAY) * DAY;
  if (granularity === 'weekly') return Math.floor((time + MONDAY_OFFSET) / (7 * DAY)) * 7 * DAY - MONDAY_OFFSET;
  const date = new Date(time);
  return monthStart(date.getUTCFullYear(), date.getUTCMonth()).getTime();
}

function nextAfter(granularity: TrendBuckets['granularity'], first: number): number {
  if (granularity !== 'monthly') return first + (granularity === 'daily' ? DAY : 7 * DAY);
  const date = new Date(first);
  return monthStart(date.getUTCFullYear(), date.getUTCMonth() + 1).getTime();
}
