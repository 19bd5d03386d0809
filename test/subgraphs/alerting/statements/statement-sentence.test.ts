import { expect, it } from 'vitest';
import { periodEnd, periodStart, statementDueAt } from '../../../../subgraphs/alerting/statements/statement-period.ts';
import { statementSentence } from '../../../../subgraphs/alerting/statements/statement-sentence.ts';

it.each([
  ['WEEK', '2026-11-27T14:00:00.000Z', '2026-11-23', '2026-11-30'],
  ['WEEK', '2026-11-23T00:00:00.000Z', '2026-11-23', '2026-11-30'],
  ['WEEK', '2027-01-01T00:00:00.000Z', '2026-12-28', '2027-01-04'],
  ['MONTH', '2026-11-27T14:00:00.000Z', '2026-11-01', '2026-12-01'],
  ['MONTH', '2026-12-31T23:59:59.999Z', '2026-12-01', '2027-01-01'],
] as const)('a %s with %s lasts from %s to %s, and its statement is due six hours later', (period, at, start, end) => {
  const from = periodStart(new Date(at), period);
  expect(from.toISOString()).toBe(`${start}T00:00:00.000Z`);
  expect(periodEnd(from, period).toISOString()).toBe(`${end}T00:00:00.000Z`);
  expect(statementDueAt(from, period).toISOString()).toBe(`${end}T06:00:00.000Z`);
});

const FIGURES = {
  revenue: '556.425',
  cost: '257.285',
  marginPercent: 53.76,
  previousCost: '230.1449',
  customersLosing: 3,
  lost: '-8.2',
  eventsWithoutPrice: 1402,
};

it('the amounts of a sentence add up as shown', () => {
  expect(statementSentence(FIGURES, 'MONTH')).toBe(
    'Revenue $556.43 − cost $257.29 = margin $299.14 (53.76%). The cost was $27.15 higher than in the month before. 3 customers lost money: −$8.20 in total. 1,402 events have no price and count as $0.',
  );
});

it('a sentence omits figures that do not exist', () => {
  const figures = { ...FIGURES, revenue: '0', marginPercent: null, previousCost: '0', customersLosing: 0, lost: '0' };
  expect(statementSentence({ ...figures, eventsWithoutPrice: 0 }, 'WEEK')).toBe(
    'Revenue $0.00 − cost $257.29 = margin −$257.29. There was no cost in the week before. No customer lost money.',
  );
});
