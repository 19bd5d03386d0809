/** The customers named in warnings about amounts that the margin does not count. */
import { expect, it } from 'vitest';
import { uncountedWarnings } from '../../../../subgraphs/revenue/margin/uncounted-warnings.ts';

const OPEN = {
  kind: 'open' as const,
  currency: 'usd',
  count: 2,
  amountMinor: '3000',
  customers: 2,
  names: ['Ada', 'Bob'],
  amounts: ['2000', '1000'],
};

it.each([
  [2, /: Ada [^,]+, Bob [^,]+\.$/],
  [3, /: Ada [^,]+, Bob [^,]+, 1 other customer\.$/],
  [7, /: Ada [^,]+, Bob [^,]+, 5 other customers\.$/],
])('of %i customers, two are named and the others counted', (customers, end) => {
  expect(uncountedWarnings([{ ...OPEN, customers }])).toEqual([
    { type: 'open_invoices', count: 2, message: expect.stringMatching(end) },
  ]);
});

it('are in display order, with the count in words', () => {
  const one = { ...OPEN, count: 1 };
  const found = uncountedWarnings([{ ...one, kind: 'given_credit' }, { ...one, kind: 'partly_paid' }, one]);
  expect(found.map(({ type }) => type)).toEqual(['open_invoices', 'partly_paid_invoices', 'revenue_paid_from_balance']);
  expect(found[0]!.message).toMatch(/^1 open invoice \(.*\) in this period is not paid yet and not counted/);
});
