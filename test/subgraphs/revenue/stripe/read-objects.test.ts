/** What objects of the processor mean, and what its errors say. */
import Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { amount } from '#kernel/money.ts';
import { scaledRate } from '../../../../subgraphs/revenue/currencies/convert-costs.ts';
import { convertFees } from '../../../../subgraphs/revenue/margin/convert-fees.ts';
import { asProcessorError } from '../../../../subgraphs/revenue/stripe/as-processor-error.ts';
import { type BalanceTransaction, givenCreditByInvoice } from '../../../../subgraphs/revenue/stripe/read-balance.ts';
import { readDisputedAmount } from '../../../../subgraphs/revenue/stripe/read-disputed-amount.ts';
import { readInvoice } from '../../../../subgraphs/revenue/stripe/read-invoice.ts';
import { readCreditNote, readRefund } from '../../../../subgraphs/revenue/stripe/read-reduction.ts';
import { quantity } from '#kernel/money.ts';

const {
  StripeAuthenticationError,
  StripePermissionError,
  StripeInvalidRequestError,
  StripeAPIError,
  StripeRateLimitError,
} = Stripe.errors;

describe('an error of the processor', () => {
  const said = (statusCode: number, more: object = {}) =>
    ({ type: 'api_error', message: 'No', statusCode, headers: {}, ...more }) as never;
  it.each([
    ['refused', new StripeAuthenticationError(said(401)), null],
    ['refused', new StripePermissionError(said(403)), null],
    ['limited', new StripeRateLimitError(said(429, { headers: { 'retry-after': '7' } })), 7],
    ['limited', new StripeAPIError(said(429, { headers: { 'retry-after': '-7' } })), null],
    ['missing', new StripeInvalidRequestError(said(404)), null],
    ['missing', new StripeInvalidRequestError(said(400, { code: 'resource_missing' })), null],
    ['junk', new StripeInvalidRequestError(said(400)), null],
    ['junk', new StripeInvalidRequestError(said(499)), null],
    ['unavailable', new StripeAPIError(said(408)), null],
    ['unavailable', new StripeAPIError(said(409)), null],
    ['unavailable', new StripeAPIError(said(500, { headers: { 'retry-after': '0' } })), 0],
    ['unavailable', new Error('No'), null],
    ['unavailable', 'No', null],
  ])('is %s: %s', (kind, error, retryAfterSeconds) => {
    expect(asProcessorError(error, 'key')).toMatchObject({ kind, retryAfterSeconds });
  });

  it.each(['an-odd-key', 'sk_live_1', 'rk_test_1'])('does not repeat the key %s', (key) => {
    const error = new StripeAuthenticationError(said(401, { message: `Invalid: ${key}, really ${key}` }));
    const { message } = asProcessorError(error, 'an-odd-key');
    expect(message).toContain('Invalid: [key]');
    expect(message).not.toContain(key);
  });
});

describe('credit added by hand', () => {
  type Given = readonly [type: string, amountMinor: number, invoiceId?: string];
  const spent = (...transactions: readonly Given[]) => {
    const read = transactions.map(([type, minor, invoiceId = null], index): BalanceTransaction => ({
      id: `cbtxn_${index}`,
      type,
      amountMinor: BigInt(minor),
      invoiceId,
      customerId: 'cus_1',
      created: Math.floor(index / 2),
    }));
    return Object.fromEntries([...givenCreditByInvoice(read.reverse())].map(([id, minor]) => [id, Number(minor)]));
  };
  it.each<[string, readonly Given[], Record<string, number>]>([
    [
      'an adjustment',
      [
        ['adjustment', -100],
        ['applied_to_invoice', 60, 'a'],
      ],
      { a: 60 },
    ],
    [
      'an initial balance',
      [
        ['initial', -100],
        ['applied_to_invoice', 160, 'a'],
      ],
      { a: 100 },
    ],
    [
      'a credit note',
      [
        ['credit_note', -100],
        ['applied_to_invoice', 60, 'a'],
      ],
      { a: 0 },
    ],
    [
      'the oldest first',
      [
        ['credit_note', -50],
        ['adjustment', -50],
        ['applied_to_invoice', 60, 'a'],
        ['applied_to_invoice', 40, 'b'],
      ],
      { a: 10, b: 40 },
    ],
    [
      'what was not spent by hand',
      [
        ['adjustment', -50],
        ['adjustment', 30],
        ['applied_to_invoice', 50, 'a'],
      ],
      { a: 20 },
    ],
    [
      'an invoice that gave it back',
      [
        ['adjustment', -50],
        ['applied_to_invoice', 50, 'a'],
        ['unapplied_from_invoice', -50, 'a'],
        ['applied_to_invoice', 50, 'b'],
      ],
      { b: 50 },
    ],
    [
      'what an invoice gave back before newer credit',
      [
        ['adjustment', -50],
        ['applied_to_invoice', 50, 'a'],
        ['credit_note', -50],
        ['unapplied_from_invoice', -50, 'a'],
        ['applied_to_invoice', 50, 'b'],
      ],
      { b: 50 },
    ],
    [
      'two invoices of one moment',
      [
        ['adjustment', -50],
        ['applied_to_invoice', 30, 'a'],
        ['applied_to_invoice', 30, 'a'],
      ],
      { a: 50 },
    ],
  ])('is spent: %s', (_, transactions, expected) => {
    expect(spent(...transactions)).toEqual(expected);
  });
});

describe('a dispute', () => {
  const DISPUTE = { amount: 10_000n, currency: 'usd' };
  const moved = (amountMinor: number, currency = 'eur', rate: number | null = 0.9, created: number | null = 5) => ({
    amount: BigInt(amountMinor),
    currency,
    exchange_rate: rate,
    created,
  });
  it.each([
    ['nothing was moved', [], 10_000n, null],
    ['in its own currency', [moved(-10_000, 'usd')], 10_000n, null],
    ['half of it reinstated', [moved(-10_000, 'usd'), moved(5_000, 'usd')], 5_000n, null],
    ['more than it', [moved(-20_000, 'usd')], 10_000n, null],
    ['more reinstated than taken', [moved(-10_000, 'usd'), moved(11_000, 'usd')], 0n, null],
    ['converted', [moved(-9_000)], 10_000n, { currency: 'eur', rate: '0.9', at: 5 }],
    ['converted without a rate', [moved(-9_000, 'eur', null)], 10_000n, { currency: 'eur', rate: '0.9', at: 5 }],
    ['converted at an unknown time', [moved(-9_000, 'eur', 0.9, null)], 10_000n, null],
    [
      'reinstated at another rate',
      [moved(-9_000), moved(4_000, 'eur', 0.8)],
      5_000n,
      { currency: 'eur', rate: '1', at: 5 },
    ],
    [
      'reinstated in a third currency',
      [moved(-9_000), moved(4_000, 'gbp', 0.8)],
      10_000n,
      { currency: 'eur', rate: '0.9', at: 5 },
    ],
  ])('takes what was withdrawn and not reinstated: %s', (_, transactions, takenMinor, settlement) => {
    expect(readDisputedAmount(DISPUTE, transactions)).toEqual({ takenMinor, settlement });
  });
});

describe('an invoice', () => {
  const INVOICE = {
    id: 'in_1',
    customer: 'cus_1',
    currency: 'usd',
    status: 'paid',
    lines: { data: [], has_more: false },
  };
  const read = (more: object) => readInvoice({ ...INVOICE, ...more });

  it.each([
    ['spends credit', -100, -40, { balanceMinor: 60n, notRevenueMinor: 0n, givenCreditMinor: null }],
    ['spends all credit', -100, 0, { balanceMinor: 100n, notRevenueMinor: 0n, givenCreditMinor: null }],
    ['collects a debt', 100, 0, { balanceMinor: 0n, notRevenueMinor: 100n, givenCreditMinor: 0n }],
    ['gives credit', 0, -100, { balanceMinor: 0n, notRevenueMinor: 0n, givenCreditMinor: 0n }],
    ['gives more credit', -50, -100, { balanceMinor: 0n, notRevenueMinor: 0n, givenCreditMinor: 0n }],
    ['adds a debt', 0, 100, { balanceMinor: 0n, notRevenueMinor: 0n, givenCreditMinor: null }],
    ['is not finished', -100, null, { balanceMinor: 0n, notRevenueMinor: 0n, givenCreditMinor: 0n }],
  ])('%s of the balance: %s to %s', (_, starting_balance, ending_balance, expected) => {
    expect(read({ starting_balance, ending_balance })).toMatchObject(expected);
  });

  it.each([
    [{ created: 1, status_transitions: { finalized_at: 2 }, effective_at: 3 }, 3],
    [{ created: 1, status_transitions: { finalized_at: 2 }, effective_at: null }, 2],
    [{ created: 1, status_transitions: { finalized_at: null } }, 1],
    [{}, null],
  ])('an invoice with %j is dated %s', (more, issued) => {
    expect(read(more).issued).toBe(issued);
  });

  it.each([
    [{ amount_remaining: 30, amount_due: 100, amount_paid: 20 }, 30n],
    [{ amount_due: 100, amount_paid: 20 }, 80n],
    [{ amount_paid: 20 }, null],
  ])('an invoice with %j has %s left to pay', (more, remainingMinor) => {
    expect(read(more).remainingMinor).toBe(remainingMinor);
  });

  it.each([
    [{ tax: 5 }, 5n],
    [{ tax: 5, total_tax_amounts: [{ amount: 3 }, { amount: 4 }] }, 7n],
    [{ total_tax_amounts: [{ amount: 3 }], total_taxes: [{ amount: 1 }] }, 1n],
    [{ tax: 5, amount_shipping: 10 }, 15n],
    [{ amount_shipping: 12, shipping_cost: { amount_subtotal: 10 } }, 10n],
  ])('an invoice with %j includes %s that is not revenue', (more, notRevenueMinor) => {
    expect(read(more).notRevenueMinor).toBe(notRevenueMinor);
  });
});

describe('a refund', () => {
  const REFUND = { id: 're_1', amount: 40, currency: 'usd', status: 'succeeded' };
  const charge = (captured: number | null) => ({ id: 'ch_1', amount: 100, amount_captured: captured });
  it.each([
    ['of a captured amount', { charge: charge(100) }, true],
    ['of an unknown capture', { charge: charge(null) }, true],
    ['of what was not captured', { charge: charge(60) }, false],
    ['of part of what was captured', { charge: charge(70) }, true],
    ['of an expired charge', { charge: 'ch_1', reason: 'expired_uncaptured_charge' }, false],
    ['that failed', { status: 'failed' }, false],
    ['that is pending', { status: 'pending' }, false],
  ])('%s counts: %j %s', (_, more, counts) => {
    expect(readRefund({ ...REFUND, ...more }).counts).toBe(counts);
  });
});

describe('a credit note', () => {
  const NOTE = { id: 'cn_1', invoice: 'in_1', currency: 'usd', status: 'issued' };
  const line = (minor: number, tax = 0) => ({
    id: 'cnli_1',
    amount: minor,
    taxes: tax === 0 ? [] : [{ amount: tax, tax_behavior: 'exclusive' }],
  });
  it.each([
    ['without lines', { total: 100 }, 100n],
    ['with shipping', { total: 100, shipping_cost: { amount_total: 30, amount_tax: 0 } }, 70n],
    ['with older shipping', { total: 100, amount_shipping: 30 }, 70n],
    ['with tax', { total: 100, total_taxes: [{ amount: 20 }] }, 80n],
    [
      'with tax on shipping',
      { total: 100, total_taxes: [{ amount: 5 }], shipping_cost: { amount_total: 30, amount_tax: 5 } },
      70n,
    ],
    ['of shipping only', { total: 30, shipping_cost: { amount_total: 30, amount_tax: 0 } }, 0n],
    ['with a line', { total: 100, lines: { data: [line(100)], has_more: false } }, 100n],
    ['with more than its line', { total: 100, lines: { data: [line(60)], has_more: false } }, 100n],
    [
      'with a taxed line',
      { total: 120, total_taxes: [{ amount: 20 }], lines: { data: [line(100, 20)], has_more: false } },
      100n,
    ],
    ['whose other lines are not read', { total: 100, lines: { data: [line(60)], has_more: true } }, 60n],
  ])('%s credits %j: %s', (_, more, amountMinor) => {
    expect(readCreditNote({ ...NOTE, lines: { data: [], has_more: false }, ...more }).amountMinor).toBe(amountMinor);
  });
});

it('fees without a rate are added up by currency, and those without an end user are in the total only', () => {
  const fee = (externalId: string | null, currency: string, feeMinor: string) => ({
    externalId,
    currency,
    day: '2026-01-01',
    feeMinor,
  });
  const fees = [
    fee('ada', 'usd', '100'),
    fee('ada', 'gbp', '200'),
    fee('bob', 'gbp', '300'),
    fee('bob', 'kwd', '1000'),
    fee(null, 'usd', '50'),
    fee(null, 'gbp', '1'),
  ];
  const rateOf = (currency: string) => (currency === 'gbp' ? null : scaledRate(quantity(currency === 'usd' ? 2 : 3)));
  expect(convertFees(fees, rateOf)).toEqual({
    total: amount('6'),
    byEndUser: new Map([
      ['ada', amount('2')],
      ['bob', amount('3')],
    ]),
    waiting: new Map([['gbp', amount('5.01')]]),
  });
});
