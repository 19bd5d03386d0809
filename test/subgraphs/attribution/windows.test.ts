import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openWindow } from '../../../subgraphs/attribution/operations/open-window.ts';
import { splitWindow, toIso, toMicros } from '../../../subgraphs/attribution/rules/split-window.ts';
import { trendBuckets } from '../../../subgraphs/attribution/rules/trend-buckets.ts';
import { trendSubject } from '../../../subgraphs/attribution/rules/trend-subject.ts';
import { window } from './history.ts';

const HOUR = 3_600_000_000n;

describe('a split window', () => {
  it('is whole, in order, and cut only where units begin', () => {
    fc.assert(
      fc.property(window, (asked) => {
        for (const [fine, coarse] of [
          ['hour', 'day'],
          ['day', 'month'],
        ] as const) {
          const cuts = splitWindow(asked, fine, coarse);
          const micros = cuts.map(toMicros);
          expect([cuts[0], cuts[5]]).toEqual([asked.start, asked.end]);
          micros.reduce((before, after) => {
            expect(after >= before).toBe(true);
            return after;
          });
          const length = fine === 'hour' ? HOUR : 24n * HOUR;
          const [, fineFrom = 0n, coarseFrom = 0n, coarseTo = 0n, fineTo = 0n] = micros;
          if (fineTo > fineFrom) expect([fineFrom % length, fineTo % length]).toEqual([0n, 0n]);
          if (coarseTo > coarseFrom)
            expect([coarseFrom, coarseTo].map((at) => beginsUnit(at, coarse))).toEqual([true, true]);
          expect((micros[1] ?? 0n) - (micros[0] ?? 0n) < length && (micros[5] ?? 0n) - fineTo < length).toBe(true);
        }
      }),
    );
  });

  it('keeps microseconds far from now', () => {
    expect(toIso(toMicros('9999-12-31T23:59:59.999999Z'))).toBe('9999-12-31T23:59:59.999999Z');
    expect(
      splitWindow({ start: '9999-12-31T23:59:59.000Z', end: '9999-12-31T23:59:59.999999Z' }, 'day', 'month')[1],
    ).toBe('9999-12-31T23:59:59.999999Z');
  });

  function beginsUnit(micros: bigint, unit: 'day' | 'month'): boolean {
    return unit === 'day' ? micros % (24n * HOUR) === 0n : toIso(micros).slice(8) === '01T00:00:00.000Z';
  }
});

describe('the buckets of a trend', () => {
  it.each([
    ['2026-01-01', '2026-01-31', 'daily', 30],
    ['2026-01-01', '2026-01-31T00:00:00.000001Z', 'weekly', 5],
    ['2026-01-01', '2026-04-01', 'weekly', 14],
    ['2026-01-01', '2026-04-01T00:00:00.001Z', 'monthly', 4],
    ['2026-01-31T23:59:59.999999Z', '2026-02-01T00:00:00.000001Z', 'daily', 2],
    ['2026-01-01T12:00:00Z', '2026-01-01T12:00:00.000001Z', 'daily', 1],
  ])('%s to %s are %s', (start, end, granularity, count) => {
    const buckets = trendBuckets(openWindow({ start, end }));
    expect([buckets.granularity, buckets.dates.length]).toEqual([granularity, count]);
  });

  it('begin on the first day of their unit, also where the window cuts into it', () => {
    expect(trendBuckets(openWindow({ start: '2026-01-01', end: '2026-03-01' })).dates.slice(0, 2)).toEqual([
      '2025-12-29',
      '2026-01-05',
    ]);
    expect(trendBuckets(openWindow({ start: '2026-01-15', end: '2026-05-02' })).dates).toEqual([
      '2026-01-01',
      '2026-02-01',
      '2026-03-01',
      '2026-04-01',
      '2026-05-01',
    ]);
  });
});

describe('the subject of a trend', () => {
  const id = '0B2F4C6E-1a1a-4b4b-8c8c-123456789abc';
  it.each([
    [{}, { kind: 'total' }],
    [{ dimensionValue: 'x' }, { kind: 'total' }],
    [{ dimensionValue: 'x', endUserId: 'not even a UUID' }, { kind: 'total' }],
    [
      { dimensionKey: 'k', endUserId: id },
      { kind: 'dimension', key: 'k' },
    ],
    [
      { dimensionKey: 'k', dimensionValue: 'v', endUserId: id },
      { kind: 'value', key: 'k', value: 'v' },
    ],
    [
      { endUserId: id, dimensionKey: null },
      { kind: 'end-user', id: id.toLowerCase() },
    ],
  ])('of %j is %j', (asked, subject) => {
    expect(trendSubject(asked)).toEqual(subject);
  });

  it('is refused when the end user is named by anything but a UUID', () => {
    expect(() => trendSubject({ endUserId: 'ann' })).toThrow('must be a UUID');
  });
});
