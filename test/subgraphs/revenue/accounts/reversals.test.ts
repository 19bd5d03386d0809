/**
 * Every possible change to an invoice of 100 in June 2026, and its remaining revenue. Amounts are cents at the
 * processor, USD here.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plain } from '#kernel/money.ts';
import { parseWindow } from '#kernel/time/window.ts';
import { addCustomer, find, put, type StripeAccount } from '../../../../packages/stripe-stand-in/account.ts';
import {
  addInvoice,
  addPayment,
  linesOf,
  payInvoice,
  writeOffInvoice,
} from '../../../../packages/stripe-stand-in/invoices.ts';
import { addBalance, addCharge } from '../../../../packages/stripe-stand-in/payments.ts';
import {
  addCreditNote,
  addDispute,
  addRefund,
  closeDispute,
  setRefundStatus,
} from '../../../../packages/stripe-stand-in/reversals.ts';
import { compareCostAndRevenue } from '../../../../subgraphs/revenue/margin/compare-cost-and-revenue.operation.ts';
import { linkRevenueCustomer } from '../../../../subgraphs/revenue/customers/link-revenue-customer.operation.ts';
import { listSetAsideObjects } from '../../../../subgraphs/revenue/set-aside/list-set-aside-objects.operation.ts';
import { verifyRevenue } from '../../../../subgraphs/revenue/conversion/verify-revenue.operation.ts';
import { at, costLines, type RevenueService, startRevenue } from '../revenue-builder.ts';

const JUNE = { start: '2026-06-01T00:00:00Z', end: '2026-07-01T00:00:00Z' };
const ALWAYS = { start: '2026-01-01T00:00:00Z', end: '2027-01-01T00:00:00Z' };
const june = { start: at(JUNE.start), end: at(JUNE.end) };

let service: RevenueService;
let account: StripeAccount;
let ada: string;
beforeEach(async () => {
  service = await startRevenue();
  account = service.standIn.account;
  account.now = june.start;
  ada = addCustomer(account, { name: 'Ada', metadata: { user_id: 'ada' } });
  await service.connect();
});
afterEach(async () => {
  expect((await verifyRevenue(service.context)).flatMap(({ differences }) => differences)).toEqual([]);
  await service.close();
});

const invoiceOf = (amount: number, more: object = {}) =>
  addInvoice(account, { customer: ada, lines: [{ amount, ...june }], ...more });
const lineOf = (invoice: string) => linesOf(account, invoice)[0]?.id ?? '';

async function margin(window = JUNE) {
  await service.sync();
  const { comparison, warnings } = await compareCostAndRevenue(service.context, parseWindow(window), {
    costs: costLines(service.organizationId, { ada: '1' }, '0'),
    throughEnd: true,
  });
  return {
    revenue: comparison.endUsers.map(({ revenue }) => plain(revenue)).join(),
    total: plain(comparison.totalRevenue),
    warnings: warnings.map(({ type, count, message }) => ({ type, count, message })),
  };
}
const revenue = async (window = JUNE) => (await margin(window)).revenue;

describe('an invoice of 100 keeps', () => {
  it('40 after a credit note of 60, half of it by line and half by amount', async () => {
    const invoice = invoiceOf(10_000);
    addCreditNote(account, { invoice, credits: [{ line: lineOf(invoice), amount: 3_000 }], total: 6_000 });
    expect(await revenue()).toBe('40');
  });

  it('everything when its shipping of 20 is refunded by a credit note with a refund', async () => {
    const invoice = invoiceOf(10_000, { shipping: 2_000 });
    const refund = addRefund(account, { invoice, amount: 2_000 });
    addCreditNote(account, { invoice, credits: [], shipping: 2_000, refund });
    expect(await revenue()).toBe('100');
  });

  it('50 when half of a payment with shipping is refunded', async () => {
    const invoice = invoiceOf(10_000, { shipping: 2_000 });
    addRefund(account, { invoice, amount: 6_000 });
    expect(await revenue()).toBe('50');
  });

  it('50 after half of the payment, shipping included, is lost in a dispute, and nothing after all of it is', async () => {
    const invoice = invoiceOf(10_000, { shipping: 2_000 });
    addDispute(account, { invoice, amount: 6_000, status: 'lost' });
    expect(await revenue()).toBe('50');
    addDispute(account, { invoice, amount: 6_000, status: 'lost' });
    expect(await revenue()).toBe('0');
  });

  it('nothing, and not less, after a credit note of 50 by amount and a refund of everything', async () => {
    const invoice = invoiceOf(10_000);
    addCreditNote(account, { invoice, credits: [], total: 5_000 });
    expect(await revenue()).toBe('50');
    addRefund(account, { invoice, amount: 10_000 });
    expect(await revenue()).toBe('0');
  });

  it('50 after a credit note of 50 by amount whose refund failed', async () => {
    const invoice = invoiceOf(10_000);
    const refund = addRefund(account, { invoice, amount: 5_000 });
    addCreditNote(account, { invoice, credits: [], total: 5_000, refund });
    setRefundStatus(account, refund, 'failed');
    expect(await revenue()).toBe('50');
  });

  it('nothing, and not less, after two lost disputes and a refund', async () => {
    const invoice = invoiceOf(10_000);
    addDispute(account, { invoice, amount: 10_000, status: 'lost' });
    addDispute(account, { invoice, amount: 5_000, status: 'lost' });
    addRefund(account, { invoice, amount: 10_000 });
    expect(await revenue()).toBe('0');
  });

  it('60 after a lost dispute of 40 and the out-of-band credit note that corrects it', async () => {
    const invoice = invoiceOf(10_000);
    addDispute(account, { invoice, amount: 4_000, status: 'lost' });
    addCreditNote(account, { invoice, credits: [{ line: lineOf(invoice), amount: 4_000 }], outOfBand: 4_000 });
    expect(await revenue()).toBe('60');
  });

  it.each([
    ['needs_response', '100'],
    ['under_review', '100'],
    ['warning_closed', '100'],
    ['prevented', '100'],
    ['won', '100'],
    ['lost', '0'],
    ['appeal_needs_response', '0'],
    ['appeal_under_review', '0'],
  ])('with a dispute of status %s: %s', async (status, expected) => {
    addDispute(account, { invoice: invoiceOf(10_000), amount: 10_000, status });
    expect(await revenue()).toBe(expected);
  });

  it('nothing while a lost dispute is appealed, and everything once the appeal is won', async () => {
    const dispute = addDispute(account, { invoice: invoiceOf(10_000), amount: 10_000, status: 'lost' });
    const seen = [await revenue()];
    for (const status of ['appeal_under_review', 'won']) {
      closeDispute(account, dispute, status);
      seen.push(await revenue());
    }
    expect(seen).toEqual(['0', '0', '100']);
  });

  it('what was booked if its dispute has an unknown status, which is set aside under its name', async () => {
    const dispute = addDispute(account, { invoice: invoiceOf(10_000), amount: 10_000, status: 'lost' });
    expect(await revenue()).toBe('0');
    closeDispute(account, dispute, 'arbitration');
    expect(await margin()).toMatchObject({ revenue: '0', warnings: [{ type: 'revenue_set_aside', count: 1 }] });
    expect((await listSetAsideObjects(service.context, { first: 10 })).nodes).toMatchObject([
      { kind: 'DISPUTE', id: dispute, reason: expect.stringContaining('"arbitration"') },
    ]);
    closeDispute(account, dispute, 'won');
    expect(await margin()).toMatchObject({ revenue: '100', warnings: [] });
  });

  it.each([
    ['pending', '100'],
    ['requires_action', '100'],
    ['failed', '100'],
    ['canceled', '100'],
    ['succeeded', '70'],
  ])('with a refund of 30 that is %s: %s', async (status, expected) => {
    setRefundStatus(account, addRefund(account, { invoice: invoiceOf(10_000), amount: 3_000 }), status);
    expect(await revenue()).toBe(expected);
  });

  it('40 if reinstated funds are subtracted from a lost dispute', async () => {
    const dispute = addDispute(account, { invoice: invoiceOf(10_000), amount: 10_000, status: 'lost' });
    const moved = [-10_000, 4_000].map((amount) => ({ amount, currency: 'usd' }));
    put(account, 'disputes', { ...find(account, 'disputes', dispute), balance_transactions: moved }, null);
    expect(await revenue()).toBe('40');
  });

  it('60 when it was partly paid and the rest is written off, and 30 after half of that is refunded', async () => {
    const invoice = invoiceOf(10_000, { status: 'open' });
    const payment = payInvoice(account, invoice, 6_000);
    expect(await margin()).toMatchObject({
      revenue: '0',
      warnings: [
        { type: 'open_invoices', count: 1, message: expect.stringContaining('(40 USD)') },
        { type: 'partly_paid_invoices', count: 1, message: expect.stringContaining('60 USD received') },
      ],
    });
    writeOffInvoice(account, invoice);
    expect(await margin()).toMatchObject({ revenue: '60', warnings: [] });
    addRefund(account, { paymentIntent: payment, amount: 3_000 });
    expect(await revenue()).toBe('30');
  });

  it('nothing when nothing was received and it is written off', async () => {
    writeOffInvoice(account, invoiceOf(10_000, { status: 'open' }));
    expect(await revenue()).toBe('0');
  });
});

describe('a payment of several invoices', () => {
  it('is refunded from the invoice that the credit note names, then from the other', async () => {
    const [one, other] = [invoiceOf(10_000, { status: 'open' }), invoiceOf(10_000, { status: 'open' })];
    const payment = addCharge(account, { customer: ada, amount: 20_000 });
    for (const invoice of [one, other]) {
      addPayment(account, invoice, payment, 10_000);
      put(
        account,
        'invoices',
        { ...find(account, 'invoices', invoice), status: 'paid', amount_paid: 10_000, amount_remaining: 0 },
        null,
      );
    }
    const refund = addRefund(account, { paymentIntent: payment, amount: 10_000 });
    addCreditNote(account, { invoice: one, credits: [{ line: lineOf(one), amount: 10_000 }], refund });
    expect(await revenue()).toBe('100');
    addRefund(account, { paymentIntent: payment, amount: 10_000 });
    expect(await revenue()).toBe('0');
  });
});

describe('a charge without an invoice', () => {
  it('is revenue at its time; its refunds and disputes reduce it, at most to zero', async () => {
    const payment = addCharge(account, { customer: ada, amount: 5_000 });
    expect(await margin()).toMatchObject({ revenue: '50', warnings: [] });
    addRefund(account, { paymentIntent: payment, amount: 2_000 });
    expect(await revenue()).toBe('30');
    addDispute(account, { paymentIntent: payment, amount: 5_000, status: 'lost' });
    expect(await revenue()).toBe('0');
  });

  it('is spread over the period that its metadata names', async () => {
    const metadata = { service_period_start: '2026-06-01', service_period_end: '2026-08-01T00:00:00Z' };
    addCharge(account, { customer: ada, amount: 6_100, metadata });
    expect([await revenue(), await revenue(ALWAYS)]).toEqual(['30', '61']);
  });

  it('is set aside if its metadata contains no instant', async () => {
    addCharge(account, { customer: ada, amount: 6_100, metadata: { service_period_end: 'soon' } });
    expect(await margin()).toMatchObject({ revenue: '0', warnings: [{ type: 'revenue_set_aside', count: 1 }] });
  });

  it('counts its captured part; releasing the rest reduces nothing', async () => {
    const payment = addCharge(account, { customer: ada, amount: 10_000, captured: 6_000 });
    addRefund(account, { paymentIntent: payment, amount: 4_000 });
    expect(await revenue()).toBe('60');
    addRefund(account, { paymentIntent: payment, amount: 1_000 });
    expect(await revenue()).toBe('50');
  });

  it('excludes the tax and the shipping of its Checkout', async () => {
    const payment = addCharge(account, { customer: ada, amount: 12_500, checkout: { tax: 2_000, shipping: 500 } });
    expect(await revenue()).toBe('100');
    addRefund(account, { paymentIntent: payment, amount: 12_500 });
    expect(await revenue()).toBe('0');
  });

  it.each(['pending', 'failed'] as const)('counts nothing while it is %s', async (status) => {
    addCharge(account, { customer: ada, amount: 5_000, status });
    expect(await revenue()).toBe('0');
  });

  it('a charge without a customer is in the total, with a warning that names its amount', async () => {
    addCharge(account, { customer: null, amount: 5_000 });
    expect(await margin()).toMatchObject({
      revenue: '0',
      total: '50',
      warnings: [
        { type: 'unattributed_revenue', count: 1 },
        { type: 'payments_without_customer', count: 1, message: expect.stringContaining('(50 USD)') },
      ],
    });
  });

  it('is withdrawn once an invoice names it, because it was the revenue of that invoice', async () => {
    const payment = addCharge(account, { customer: ada, amount: 10_000 });
    addRefund(account, { paymentIntent: payment, amount: 1_000 });
    expect(await revenue()).toBe('90');
    const invoice = invoiceOf(10_000, { status: 'open' });
    addPayment(account, invoice, payment, 10_000);
    put(
      account,
      'invoices',
      { ...find(account, 'invoices', invoice), status: 'paid', amount_paid: 10_000, amount_remaining: 0 },
      null,
    );
    expect(await revenue()).toBe('90');
    expect(await revenue()).toBe('90');
  });

  it('a charge that created its invoice in Checkout counts as that invoice', async () => {
    const invoice = invoiceOf(5_000, { status: 'open' });
    const payment = addCharge(account, { customer: ada, amount: 5_000, checkout: { invoice } });
    put(
      account,
      'invoices',
      { ...find(account, 'invoices', invoice), status: 'paid', amount_paid: 5_000, amount_remaining: 0 },
      null,
    );
    addRefund(account, { paymentIntent: payment, amount: 1_000 });
    expect(await revenue()).toBe('40');
  });
});

describe("a customer's balance", () => {
  it("a customer's balance that was bought is counted once, at the purchase", async () => {
    invoiceOf(10_000);
    addBalance(account, ada, { amount: -10_000 });
    account.now += 60;
    invoiceOf(6_000, { fromBalance: 6_000 });
    expect(await margin()).toMatchObject({
      revenue: '100',
      warnings: [{ type: 'revenue_paid_from_balance', count: 1, message: expect.stringContaining('60 USD') }],
    });
  });

  it("a customer's balance from a credit note pays an invoice that is revenue", async () => {
    const credited = invoiceOf(10_000);
    const creditNote = addCreditNote(account, {
      invoice: credited,
      credits: [{ line: lineOf(credited), amount: 4_000 }],
    });
    addBalance(account, ada, { amount: -4_000, type: 'credit_note', creditNote });
    account.now += 60;
    invoiceOf(4_000, { fromBalance: 4_000 });
    expect(await margin()).toMatchObject({ revenue: '100', warnings: [] });
  });

  it("a customer's balance of both kinds is spent in order of receipt", async () => {
    addBalance(account, ada, { amount: -1_000 });
    account.now += 60;
    addBalance(account, ada, { amount: -5_000, type: 'credit_note' });
    account.now += 60;
    invoiceOf(4_000, { fromBalance: 4_000 });
    expect(await revenue()).toBe('30');
  });
});

describe('customers and currencies', () => {
  it('customers of Accounts v2 are found by the account that their customer names, or by a link', async () => {
    addCustomer(account, { metadata: { user_id: 'grace' }, customerAccount: 'acct_grace' });
    addInvoice(account, { customer: null, customerAccount: 'acct_grace', lines: [{ amount: 700, ...june }] });
    addInvoice(account, { customer: null, customerAccount: 'acct_ada', lines: [{ amount: 300, ...june }] });
    await service.sync();
    await linkRevenueCustomer(service.context, 'acct_ada', 'ada');
    const { endUsers } = await service.margin(JUNE, { ada: '1', grace: '1' });
    expect(endUsers.map(({ externalId, revenue: earned }) => [externalId, plain(earned)])).toEqual([
      ['ada', '3'],
      ['grace', '7'],
    ]);
  });

  it('other than USD are not part of any figure, and a warning names them', async () => {
    invoiceOf(10_000);
    invoiceOf(5_000, { currency: 'eur' });
    invoiceOf(900, { currency: 'jpy' });
    expect(await margin()).toMatchObject({
      revenue: '100',
      total: '100',
      warnings: [{ type: 'revenue_in_other_currencies', count: 2 }],
    });
  });
});
