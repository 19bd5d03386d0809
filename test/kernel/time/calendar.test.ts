import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addMonths, daysInMonth, monthStart } from '#kernel/time/calendar.ts';

test.each([
  [2026, 1, 31],
  [2026, 2, 28],
  [2024, 2, 29],
  [2000, 2, 29],
  [1900, 2, 28],
  [2100, 2, 28],
  [2026, 4, 30],
  [2026, 12, 31],
  [2026, 0, 0],
  [2026, 13, 0],
])('%i-%i has %i days', (year, month, days) => {
  expect(daysInMonth(year, month)).toBe(days);
});

test.each([
  [2026, 0, '2026-01-01'],
  [2026, -1, '2025-12-01'],
  [2026, 12, '2027-01-01'],
  [2026, -13, '2024-12-01'],
])('month %i/%i begins on %s', (year, month, day) => {
  expect(monthStart(year, month)).toEqual(new Date(day));
});

test.each([
  ['2026-01-31T10:20:30.456Z', 1, undefined, '2026-02-28T10:20:30.456Z'],
  ['2024-01-31T00:00:00.000Z', 1, undefined, '2024-02-29T00:00:00.000Z'],
  ['2024-02-29T00:00:00.000Z', 12, undefined, '2025-02-28T00:00:00.000Z'],
  ['2024-02-29T00:00:00.000Z', -12, undefined, '2023-02-28T00:00:00.000Z'],
  ['2026-02-28T00:00:00.000Z', 1, 31, '2026-03-31T00:00:00.000Z'],
  ['2026-03-31T00:00:00.000Z', -1, undefined, '2026-02-28T00:00:00.000Z'],
  ['2026-12-15T23:59:59.999Z', 1, undefined, '2027-01-15T23:59:59.999Z'],
  ['1999-12-31T00:00:00.000Z', 1200, undefined, '2099-12-31T00:00:00.000Z'],
])('%s and %i months, on day %s, is %s', (from, months, day, to) => {
  expect(addMonths(new Date(from), months, day)).toEqual(new Date(to));
});

test('a whole month later is in the next month, at the same time of day', () => {
  const aDate = fc.date({
    min: new Date('1970-01-01T00:00:00Z'),
    max: new Date('9000-01-01T00:00:00Z'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(aDate, fc.integer({ min: -500, max: 1500 }), (from, months) => {
      const to = addMonths(from, months);
      const monthOf = (date: Date) => date.getUTCFullYear() * 12 + date.getUTCMonth();
      expect(monthOf(to) - monthOf(from)).toBe(months);
      expect(to.toISOString().slice(-14)).toBe(from.toISOString().slice(-14));
    }),
  );
});
