/** Periods that pages offer, at the edges of months, quarters and fiscal years. */
import { expect, it } from 'vitest';
import { OFFERED, type OfferedName, offeredNames } from '../../../dashboard/figures/offered-periods.ts';

const day = (date: Date) => date.toISOString().replace('T00:00:00.000Z', '');

it.each<[OfferedName, string, readonly string[]]>([
  ['last-quarter', '2026-11-15T12:00:00Z', ['2026-07-01', '2026-10-01', '2026-04-01', '2026-07-01']],
  ['last-quarter', '2026-12-31T23:59:59Z', ['2026-07-01', '2026-10-01', '2026-04-01', '2026-07-01']],
  ['last-quarter', '2026-02-01T00:00:00Z', ['2025-10-01', '2026-01-01', '2025-07-01', '2025-10-01']],
  ['last-quarter', '2026-04-01T00:00:00Z', ['2026-01-01', '2026-04-01', '2025-10-01', '2026-01-01']],
  ['yesterday', '2026-03-01T00:00:00Z', ['2026-02-28', '2026-03-01', '2026-02-27', '2026-02-28']],
  ['12-months', '2026-03-31T12:00:00Z', ['2025-03-01', '2026-03-01', '2024-03-01', '2025-03-01']],
  ['last-fiscal-year-4', '2026-03-31T12:00:00Z', ['2024-04-01', '2025-04-01', '2023-04-01', '2024-04-01']],
  ['last-fiscal-year-4', '2026-04-01T00:00:00Z', ['2025-04-01', '2026-04-01', '2024-04-01', '2025-04-01']],
  ['fiscal-year-4', '2026-04-02T00:00:00Z', ['2026-04-01', '2026-04-02', '2025-04-01', '2025-04-02']],
  ['fiscal-year-12', '2026-11-30T00:00:00Z', ['2025-12-01', '2026-11-30', '2024-12-01', '2025-11-30']],
])('%s at %s', (name, now, expected) => {
  const { period, previous } = OFFERED[name].at(new Date(now));
  expect([period.start, period.end, previous.start, previous.end].map(day)).toEqual(expected);
});

it('fiscal years are offered if they begin in the chosen month, which is not January', () => {
  const fiscal = (month: number) => offeredNames(month).filter((name) => name.includes('fiscal'));
  expect(fiscal(1)).toEqual([]);
  expect(fiscal(4)).toEqual(['fiscal-year-4', 'last-fiscal-year-4']);
});
