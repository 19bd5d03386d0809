/** The reporting currency of a day: chosen from a month on. */
import { expect, it } from 'vitest';
import { currencyOfDay } from '../../../../subgraphs/revenue/currencies/currency-of-day.ts';

const CHOICES = [
  { fromMonth: '2026-02-01', currency: 'EUR' },
  { fromMonth: '2026-04-01', currency: 'GBP' },
];

it.each([
  ['2026-01-31', 'USD'],
  ['2026-02-01', 'EUR'],
  ['2026-03-31', 'EUR'],
  ['2026-04-01', 'GBP'],
  ['2027-01-01', 'GBP'],
])('the currency of %s is %s', (day, currency) => {
  expect(currencyOfDay(CHOICES, day)).toBe(currency);
  expect(currencyOfDay([], day)).toBe('USD');
});
