import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { microsOf, parseIso8601 } from '#kernel/time/instant.ts';
import { splitWindow, wholeUnits } from '#kernel/time/split-window.ts';
import type { Window } from '#kernel/time/window.ts';
import { aWindow } from './a-window.ts';

const HOUR = 3_600_000_000n;
const at = (iso: string) => parseIso8601(iso)!;
const micros = (iso: string) => microsOf(at(iso));

describe('the whole hours of a window', () => {
  it.each([
    [
      'both ends on the hour',
      '2026-01-01T10:00:00.000Z',
      '2026-01-01T12:00:00.000Z',
      '2026-01-01T10:00:00.000Z',
      '2026-01-01T12:00:00.000Z',
    ],
    [
      'both ends partial',
      '2026-01-01T10:00:00.001Z',
      '2026-01-01T12:59:59.999999Z',
      '2026-01-01T11:00:00.000Z',
      '2026-01-01T12:00:00.000Z',
    ],
    [
      'a microsecond past the hour',
      '2026-01-01T10:00:00.000001Z',
      '2026-01-01T12:00:00.000Z',
      '2026-01-01T11:00:00.000Z',
      '2026-01-01T12:00:00.000Z',
    ],
    [
      'over midnight of a year',
      '2025-12-31T23:30:00.000Z',
      '2026-01-01T00:30:00.000Z',
      '2026-01-01T00:00:00.000Z',
      '2026-01-01T00:00:00.000Z',
    ],
    [
      'within one hour',
      '2026-01-01T10:10:00.000Z',
      '2026-01-01T10:20:00.000Z',
      '2026-01-01T10:20:00.000Z',
      '2026-01-01T10:20:00.000Z',
    ],
    [
      'from an hour into it',
      '2026-01-01T10:00:00.000Z',
      '2026-01-01T10:20:00.000Z',
      '2026-01-01T10:00:00.000Z',
      '2026-01-01T10:00:00.000Z',
    ],
    [
      'up to an hour',
      '2026-01-01T10:10:00.000Z',
      '2026-01-01T11:00:00.000Z',
      '2026-01-01T11:00:00.000Z',
      '2026-01-01T11:00:00.000Z',
    ],
  ])('are found for %s', (_, start, end, from, to) => {
    expect(wholeUnits({ start: at(start), end: at(end) }, 'hour')).toEqual({ start: at(from), end: at(to) });
  });
});

describe('a split window', () => {
  it('is whole, in order, and cut only at the start of units', () => {
    fc.assert(
      fc.property(aWindow, (window) => {
        for (const [fine, coarse] of [
          ['hour', 'day'],
          ['day', 'month'],
        ] as const) {
          const cuts = splitWindow(window, fine, coarse);
          expect([cuts[0], cuts[5]]).toEqual([window.start.iso, window.end.iso]);
          const [start, fineFrom, coarseFrom, coarseTo, fineTo, end] = cuts.map(micros) as [
            bigint,
            bigint,
            bigint,
            bigint,
            bigint,
            bigint,
          ];
          expect(
            start <= fineFrom &&
              fineFrom <= coarseFrom &&
              coarseFrom <= coarseTo &&
              coarseTo <= fineTo &&
              fineTo <= end,
          ).toBe(true);
          const length = fine === 'hour' ? HOUR : 24n * HOUR;
          if (fineTo > fineFrom) expect([fineFrom % length, fineTo % length]).toEqual([0n, 0n]);
          if (coarseTo > coarseFrom)
            expect([cuts[2], cuts[3]].map((cut) => beginsUnit(cut, coarse))).toEqual([true, true]);
          expect(fineFrom - start < length && end - fineTo < length).toBe(true);
        }
      }),
      { seed: 30, numRuns: 1000 },
    );
  });

  it('keeps microseconds far from now', () => {
    const window: Window = { start: at('9999-12-31T23:59:59.000Z'), end: at('9999-12-31T23:59:59.999999Z') };
    expect(splitWindow(window, 'day', 'month')[1]).toBe('9999-12-31T23:59:59.999999Z');
  });

  function beginsUnit(iso: string, unit: 'day' | 'month'): boolean {
    return unit === 'day' ? micros(iso) % (24n * HOUR) === 0n : iso.slice(8) === '01T00:00:00.000Z';
  }
});
