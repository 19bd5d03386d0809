import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { microsOf } from '#kernel/time/instant.ts';
import { granularBuckets, trendBuckets } from '#kernel/time/trend-buckets.ts';
import { parseWindow, type Window } from '#kernel/time/window.ts';
import { aWindow } from './a-window.ts';

const DAY = 86_400_000_000n;
const datesOf = (window: Window) => trendBuckets(window).buckets.map(({ date }) => date);

it.each([
  ['2026-01-01', '2026-01-31', 'daily', 30],
  ['2026-01-01', '2026-01-31T00:00:00.000001Z', 'weekly', 5],
  ['2026-01-01T00:00:00.000001Z', '2026-01-31T00:00:00.000001Z', 'daily', 31],
  ['2026-01-01T00:00:00.000999Z', '2026-01-31T00:00:00.000001Z', 'daily', 31],
  ['2026-01-01', '2026-04-01', 'weekly', 14],
  ['2026-01-01', '2026-04-01T00:00:00.000001Z', 'monthly', 4],
  ['2026-01-01', '2026-04-01T00:00:00.001Z', 'monthly', 4],
  ['2026-01-31T23:59:59.999999Z', '2026-02-01T00:00:00.000001Z', 'daily', 2],
  ['2026-01-01T12:00:00Z', '2026-01-01T12:00:00.000001Z', 'daily', 1],
  ['1970-01-01', '1970-03-01', 'weekly', 9],
  ['1970-01-01', '2070-01-01', 'monthly', 1200],
])('%s to %s are %s', (start, end, granularity, count) => {
  const trend = trendBuckets(parseWindow({ start, end }));
  expect([trend.granularity, trend.buckets.length]).toEqual([granularity, count]);
});

it('buckets begin on the first day of their unit, even if the window begins later', () => {
  expect(datesOf(parseWindow({ start: '2026-01-01', end: '2026-03-01' })).slice(0, 2)).toEqual([
    '2025-12-29',
    '2026-01-05',
  ]);
  expect(datesOf(parseWindow({ start: '2026-01-15', end: '2026-05-02' }))).toEqual([
    '2026-01-01',
    '2026-02-01',
    '2026-03-01',
    '2026-04-01',
    '2026-05-01',
  ]);
});

it('buckets of a chosen length are at most a thousand', () => {
  const days = (end: string) => granularBuckets(parseWindow({ start: '2021-01-01', end }), 'DAY').buckets.length;
  expect(days('2023-09-28')).toBe(1_000);
  expect(() => days('2023-09-28T00:00:00.000001Z')).toThrow(/at most 1000 points/);
});

describe('buckets of any window, to the microsecond', () => {
  const any = (check: (window: Window) => void) => fc.assert(fc.property(aWindow, check), { seed: 30, numRuns: 2000 });

  it('have parts that are adjacent and add up to the window', () => {
    any((window) => {
      const { buckets } = trendBuckets(window);
      expect([buckets[0]?.start, buckets.at(-1)?.end]).toEqual([window.start, window.end]);
      buckets.slice(1).forEach(({ start }, index) => expect(start).toEqual(buckets[index]?.end));
      expect(buckets.every(({ start, end }) => microsOf(start) < microsOf(end))).toBe(true);
    });
  });

  it('are the same as those found by counting day by day', () => {
    any((window) => {
      const [start, end] = [microsOf(window.start), microsOf(window.end)];
      const granularity = end - start <= 30n * DAY ? 'daily' : end - start <= 90n * DAY ? 'weekly' : 'monthly';
      const dates = new Set<string>();
      for (let at = start - (start % DAY); at < end; at += DAY) dates.add(firstDay(at, granularity));
      expect(trendBuckets(window).granularity).toBe(granularity);
      expect(datesOf(window)).toEqual([...dates]);
    });
  });

  /** Computed with PostgreSQL's calendar functions, not with arithmetic. */
  function firstDay(micros: bigint, granularity: string): string {
    const day = new Date(Number(micros / 1000n));
    if (granularity === 'monthly') day.setUTCDate(1);
    while (granularity === 'weekly' && day.getUTCDay() !== 1) day.setUTCDate(day.getUTCDate() - 1);
    return day.toISOString().slice(0, 10);
  }
});
