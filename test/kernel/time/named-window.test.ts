import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { instantOf } from '#kernel/time/instant.ts';
import { fromWindowEnum, namedWindow, toWindowEnum, WINDOW_NAMES, type WindowName } from '#kernel/time/named-window.ts';

type Row = readonly [now: string, start: string, end: string, previousStart: string, previousEnd: string];

const TABLE = {
  'current-period': [
    ['2026-03-15T12:30:00Z', '2026-03-01', '2026-03-15T12:30:00Z', '2026-02-01', '2026-02-15T12:30:00Z'],
    ['2026-03-29T00:00:00Z', '2026-03-01', '2026-03-29', '2026-02-01', '2026-03-01'],
    ['2026-03-31T23:59:59.999Z', '2026-03-01', '2026-03-31T23:59:59.999Z', '2026-02-01', '2026-03-01'],
    ['2024-03-29T12:00:00Z', '2024-03-01', '2024-03-29T12:00:00Z', '2024-02-01', '2024-02-29T12:00:00Z'],
    ['2024-03-31T12:00:00Z', '2024-03-01', '2024-03-31T12:00:00Z', '2024-02-01', '2024-03-01'],
    ['2026-02-28T12:00:00Z', '2026-02-01', '2026-02-28T12:00:00Z', '2026-01-01', '2026-01-28T12:00:00Z'],
    ['2026-01-10T06:00:00Z', '2026-01-01', '2026-01-10T06:00:00Z', '2025-12-01', '2025-12-10T06:00:00Z'],
    ['2026-05-01T00:00:00Z', '2026-05-01', '2026-05-01', '2026-04-01', '2026-04-01'],
  ],
  'last-period': [
    ['2026-03-15T12:30:00Z', '2026-02-01', '2026-03-01', '2026-01-01', '2026-02-01'],
    ['2026-01-01T00:00:00Z', '2025-12-01', '2026-01-01', '2025-11-01', '2025-12-01'],
    ['2026-02-28T23:59:59Z', '2026-01-01', '2026-02-01', '2025-12-01', '2026-01-01'],
    ['2024-03-31T00:00:00Z', '2024-02-01', '2024-03-01', '2024-01-01', '2024-02-01'],
  ],
  'last-7-days': [
    [
      '2026-03-03T12:30:00.5Z',
      '2026-02-24T12:30:00.5Z',
      '2026-03-03T12:30:00.5Z',
      '2026-02-17T12:30:00.5Z',
      '2026-02-24T12:30:00.5Z',
    ],
    ['2024-03-03T00:00:00Z', '2024-02-25', '2024-03-03', '2024-02-18', '2024-02-25'],
  ],
  'last-30-days': [
    [
      '2026-01-15T01:00:00Z',
      '2025-12-16T01:00:00Z',
      '2026-01-15T01:00:00Z',
      '2025-11-16T01:00:00Z',
      '2025-12-16T01:00:00Z',
    ],
  ],
  'last-90-days': [['2026-04-01T00:00:00Z', '2026-01-01', '2026-04-01', '2025-10-03', '2026-01-01']],
  ytd: [
    ['2026-03-15T12:30:00Z', '2026-01-01', '2026-03-15T12:30:00Z', '2025-01-01', '2025-03-15T12:30:00Z'],
    ['2024-02-29T12:00:00Z', '2024-01-01', '2024-02-29T12:00:00Z', '2023-01-01', '2023-02-28T12:00:00Z'],
    ['2025-03-01T00:00:00Z', '2025-01-01', '2025-03-01', '2024-01-01', '2024-03-01'],
    ['2026-01-01T00:00:00Z', '2026-01-01', '2026-01-01', '2025-01-01', '2025-01-01'],
    ['2026-12-31T23:59:59.999Z', '2026-01-01', '2026-12-31T23:59:59.999Z', '2025-01-01', '2025-12-31T23:59:59.999Z'],
  ],
  'last-year': [
    ['2026-03-31T12:30:00Z', '2025-01-01', '2026-01-01', '2024-01-01', '2025-01-01'],
    ['2024-02-29T00:00:00Z', '2023-01-01', '2024-01-01', '2022-01-01', '2023-01-01'],
    ['2026-12-31T23:59:59Z', '2025-01-01', '2026-01-01', '2024-01-01', '2025-01-01'],
  ],
} as const satisfies Record<WindowName, readonly Row[]>;

test('the contract names seven windows, the default first, and the graph has the same ones', () => {
  expect(WINDOW_NAMES.map((name) => [name, toWindowEnum(name)])).toEqual([
    ['current-period', 'CURRENT_PERIOD'],
    ['last-period', 'LAST_PERIOD'],
    ['last-7-days', 'LAST_7_DAYS'],
    ['last-30-days', 'LAST_30_DAYS'],
    ['last-90-days', 'LAST_90_DAYS'],
    ['ytd', 'YTD'],
    ['last-year', 'LAST_YEAR'],
  ]);
  expect(WINDOW_NAMES.map((name) => fromWindowEnum(toWindowEnum(name)))).toEqual(WINDOW_NAMES);
});

describe.each(WINDOW_NAMES)('%s', (name) => {
  test.each<Row>([...TABLE[name]])('at %s', (now, start, end, previousStart, previousEnd) => {
    expect(namedWindow(name, new Date(now))).toEqual({
      window: { start: instantOf(new Date(start)), end: instantOf(new Date(end)) },
      previous: { start: instantOf(new Date(previousStart)), end: instantOf(new Date(previousEnd)) },
    });
  });

  test('at any instant both windows are in order, do not overlap, and lie in the past', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date('1980-01-01'), max: new Date('2200-01-01'), noInvalidDate: true }), (now) => {
        const { window, previous } = namedWindow(name, now);
        const instants = [previous.start, previous.end, window.start, window.end].map(({ epochMs }) => epochMs);
        expect(instants.concat(now.getTime())).toEqual(
          [...instants, now.getTime()].toSorted((one, other) => one - other),
        );
      }),
    );
  });
});
