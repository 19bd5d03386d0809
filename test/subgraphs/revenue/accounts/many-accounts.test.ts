/**
 * The remaining revenue of an invoice or a charge of 100 in June 2026 after each possible change: one customer per
 * case, all in one account. Expected amounts are worked out by hand from the processor's documentation: what was
 * received for lines, without tax, shipping and payments that belong to no invoice, and never less than zero. A note is a
 * credit note. Tax inside is included in the price, tax on top is added to it.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { plain } from '#kernel/money.ts';
import { parseWindow } from '#kernel/time/window.ts';
import { addCustomer, find, put, type StripeAccount } from '../../../../packages/stripe-stand-in/account.ts';
import {
  addInvoice,
  addPayment,
  linesOf,
  payInvoice,
  voidInvoice,
  writeOffInvoice,
} from '../../../../packages/stripe-stand-in/invoices.ts';
import { addBalance, addCharge } from '../../../../packages/stripe-stand-in/payments.ts';
import {
  addCreditNote,
  addDispute,
  addRefund,
  closeDispute,
  setRefundStatus,
  voidCreditNote,
} from '../../../../packages/stripe-stand-in/reversals.ts';
import { compareCostAndRevenue } from '../../../../subgraphs/revenue/margin/compare-cost-and-revenue.operation.ts';
import { verifyRevenue } from '../../../../subgraphs/revenue/conversion/verify-revenue.operation.ts';
import { at, costLines, type RevenueService, startRevenue } from '../revenue-builder.ts';

const JUNE = { start: '2026-06-01T00:00:00Z', end: '2026-07-01T00:00:00Z' };
const june = { start: at(JUNE.start), end: at(JUNE.end) };

let service: RevenueService;
let account: StripeAccount;
/** The customer of the case that is being built. */
let customer: string;

type InvoiceMore = Omit<Parameters<typeof addInvoice>[1], 'customer' | 'lines'>;
const invoiceOf = (amount = 10_000, more: InvoiceMore = {}) =>
  addInvoice(account, { customer, lines: [{ amount, ...june }], ...more });
const linesInvoice = (...lines: readonly object[]) =>
  addInvoice(account, { customer, lines: lines.map((line) => ({ amount: 0, ...june, ...line })) });
const lineOf = (invoice: string) => linesOf(account, invoice)[0]?.id ?? '';
const patch = (list: 'invoices' | 'refunds' | 'disputes' | 'credit_notes', id: string, changes: object) =>
  put(account, list, { ...find(account, list, id), ...changes }, null);
const lost = (invoice: string, amount = 10_000) => addDispute(account, { invoice, amount, status: 'lost' });
const note = (invoice: string, total: number, more: object = {}) =>
  addCreditNote(account, { invoice, credits: [], total, ...more });
/** A second payment of the whole invoice. */
const payAgain = (invoice: string, amount = 10_000) => {
  const payment = addCharge(account, { customer, amount });
  addPayment(account, invoice, payment, amount);
  patch('invoices', invoice, { amount_overpaid: amount });
  return payment;
};
/** An invoice that a part of a payment paid. */
const paidByPartOf = (payment: number, amount = 10_000) => {
  const invoice = invoiceOf(amount, { status: 'open' });
  return { invoice, payment: payInvoice(account, invoice, payment) };
};

const CASES: readonly (readonly [what: string, revenue: string, build: () => void])[] = [
  ['nothing happens', '100', () => invoiceOf()],
  [
    'a refund and its note of everything',
    '0',
    () => {
      const invoice = invoiceOf();
      const refund = addRefund(account, { invoice, amount: 10_000 });
      addCreditNote(account, { invoice, credits: [{ line: lineOf(invoice), amount: 10_000 }], refund });
    },
  ],
  [
    'a refund and a note that do not know of each other',
    '0',
    () => {
      const invoice = invoiceOf();
      addRefund(account, { invoice, amount: 10_000 });
      note(invoice, 10_000);
    },
  ],
  [
    'a refund of 30, then a lost dispute of the other 70',
    '0',
    () => {
      const invoice = invoiceOf();
      addRefund(account, { invoice, amount: 3_000 });
      lost(invoice, 7_000);
    },
  ],
  [
    'a refund of 30, and a lost dispute of everything',
    '0',
    () => {
      const invoice = invoiceOf();
      addRefund(account, { invoice, amount: 3_000 });
      lost(invoice);
    },
  ],
  [
    'a lost dispute of 60 and its note by amount, out of band',
    '40',
    () => {
      const invoice = invoiceOf();
      lost(invoice, 6_000);
      note(invoice, 6_000, { outOfBand: 6_000 });
    },
  ],
  [
    'a dispute that took the funds and is open',
    '100',
    () => {
      const dispute = addDispute(account, { invoice: invoiceOf(), amount: 10_000, status: 'needs_response' });
      patch('disputes', dispute, { balance_transactions: [{ amount: -10_000, currency: 'usd' }] });
    },
  ],
  [
    'a lost dispute whose funds were all reinstated',
    '100',
    () => {
      const moved = [-10_000, 10_000].map((amount) => ({ amount, currency: 'usd' }));
      patch('disputes', lost(invoiceOf()), { balance_transactions: moved });
    },
  ],
  ['a lost dispute that was won on appeal', '100', () => closeDispute(account, lost(invoiceOf()), 'won')],
  [
    'a lost dispute whose appeal needs an answer',
    '0',
    () => closeDispute(account, lost(invoiceOf()), 'appeal_needs_response'),
  ],
  [
    'a lost dispute of 40 under appeal',
    '60',
    () => closeDispute(account, lost(invoiceOf(), 4_000), 'appeal_under_review'),
  ],
  ['a dispute that names its charge alone', '0', () => patch('disputes', lost(invoiceOf()), { payment_intent: null })],
  [
    'a refund that names its charge alone',
    '50',
    () => patch('refunds', addRefund(account, { invoice: invoiceOf(), amount: 5_000 }), { payment_intent: null }),
  ],
  ['a note that was voided', '100', () => voidCreditNote(account, note(invoiceOf(), 5_000))],
  [
    'a refund that failed after its note was issued, and a second refund',
    '50',
    () => {
      const invoice = invoiceOf();
      const refund = addRefund(account, { invoice, amount: 5_000 });
      setRefundStatus(account, refund, 'failed');
      const second = addRefund(account, { invoice, amount: 5_000 });
      note(invoice, 5_000, { refund: second });
    },
  ],

  ['a note by amount of 30', '70', () => note(invoiceOf(), 3_000)],
  [
    'two notes by amount of 30 and 20',
    '50',
    () => {
      const invoice = invoiceOf();
      note(invoice, 3_000);
      note(invoice, 2_000);
    },
  ],
  [
    'two notes by amount of 60',
    '0',
    () => {
      const invoice = invoiceOf();
      note(invoice, 6_000);
      note(invoice, 6_000);
    },
  ],
  ['a note by amount of more than the invoice', '0', () => note(invoiceOf(), 15_000)],
  [
    'a note by amount of 50 with a refund of 80, of which it names 50',
    '20',
    () => {
      const invoice = invoiceOf();
      const refund = addRefund(account, { invoice, amount: 8_000 });
      note(invoice, 5_000, { refund, refundAmount: 5_000 });
    },
  ],
  [
    'a note in the form of older versions: one refund, no list',
    '50',
    () => {
      const invoice = invoiceOf();
      const refund = addRefund(account, { invoice, amount: 5_000 });
      patch('credit_notes', note(invoice, 5_000), { refunds: null, refund });
    },
  ],
  [
    'a note by a line of 40 with a discount of 10',
    '70',
    () => {
      const invoice = invoiceOf();
      addCreditNote(account, { invoice, credits: [{ line: lineOf(invoice), amount: 4_000, discount: 1_000 }] });
    },
  ],
  [
    'a note with a line of its own, which names none of the invoice',
    '75',
    () => void addCreditNote(account, { invoice: invoiceOf(), credits: [{ line: null, amount: 2_500 }] }),
  ],
  [
    'a note for a line of which a refund took half before',
    '0',
    () => {
      const invoice = invoiceOf();
      addRefund(account, { invoice, amount: 5_000 });
      addCreditNote(account, { invoice, credits: [{ line: lineOf(invoice), amount: 10_000 }] });
    },
  ],
  [
    'a note before the payment, and the payment of the rest',
    '60',
    () => {
      const invoice = invoiceOf(10_000, { status: 'open' });
      note(invoice, 4_000);
      payInvoice(account, invoice);
    },
  ],
  [
    'a note by amount of 60 with 10 of tax, on an invoice with 20 of tax',
    '50',
    () => {
      const invoice = linesInvoice({ amount: 10_000, exclusiveTax: 2_000 });
      patch('credit_notes', note(invoice, 6_000), { total_taxes: [{ amount: 1_000 }], total_excluding_tax: 5_000 });
    },
  ],
  [
    'a note by amount of 60 that does not divide its tax',
    '50',
    () => {
      note(linesInvoice({ amount: 10_000, exclusiveTax: 2_000 }), 6_000);
    },
  ],

  [
    'tax on top: a refund of half',
    '50',
    () => void addRefund(account, { invoice: linesInvoice({ amount: 10_000, exclusiveTax: 2_000 }), amount: 6_000 }),
  ],
  [
    'tax on top: a lost dispute of everything',
    '0',
    () => void lost(linesInvoice({ amount: 10_000, exclusiveTax: 2_000 }), 12_000),
  ],
  ['tax inside: revenue without it', '100', () => void linesInvoice({ amount: 12_000, inclusiveTax: 2_000 })],
  [
    'tax inside: a refund of half',
    '50',
    () => void addRefund(account, { invoice: linesInvoice({ amount: 12_000, inclusiveTax: 2_000 }), amount: 6_000 }),
  ],
  ['a discount of 20', '80', () => void linesInvoice({ amount: 10_000, discount: 2_000 })],
  [
    'a discount of 20, and a refund of everything that was paid',
    '0',
    () => void addRefund(account, { invoice: linesInvoice({ amount: 10_000, discount: 2_000 }), amount: 8_000 }),
  ],
  ['a credit grant that paid everything', '0', () => void linesInvoice({ amount: 10_000, creditGrant: 10_000 })],
  [
    'a proration of -30, and a refund of what was paid',
    '0',
    () => {
      const invoice = linesInvoice({ amount: 10_000 }, { amount: -3_000, proration: true });
      addRefund(account, { invoice, amount: 7_000 });
    },
  ],

  ['shipping of 20', '100', () => invoiceOf(10_000, { shipping: 2_000 })],
  [
    'shipping of 20, everything refunded',
    '0',
    () => void addRefund(account, { invoice: invoiceOf(10_000, { shipping: 2_000 }), amount: 12_000 }),
  ],
  [
    'shipping of 20, credited by a note',
    '100',
    () => {
      const invoice = invoiceOf(10_000, { shipping: 2_000 });
      addCreditNote(account, { invoice, credits: [], shipping: 2_000 });
    },
  ],
  [
    'shipping of 20, and a note by amount of half of everything, shipping included',
    '50',
    () => {
      const invoice = invoiceOf(10_000, { shipping: 2_000 });
      note(invoice, 6_000);
    },
  ],
  [
    'shipping of 20 with tax of 4, everything refunded',
    '0',
    () => {
      const invoice = invoiceOf(10_000, { shipping: 2_400 });
      patch('invoices', invoice, {
        amount_shipping: 2_400,
        shipping_cost: { amount_subtotal: 2_000, amount_tax: 400, amount_total: 2_400 },
        total_taxes: [{ amount: 400 }],
      });
      addRefund(account, { invoice, amount: 12_400 });
    },
  ],
  [
    'shipping of 20 with tax of 4, half refunded',
    '50',
    () => {
      const invoice = invoiceOf(10_000, { shipping: 2_400 });
      patch('invoices', invoice, {
        shipping_cost: { amount_subtotal: 2_000, amount_tax: 400, amount_total: 2_400 },
        total_taxes: [{ amount: 400 }],
      });
      addRefund(account, { invoice, amount: 6_200 });
    },
  ],

  ['a second payment that is kept', '100', () => void payAgain(invoiceOf())],
  [
    'a second payment of which half is refunded',
    '100',
    () => void addRefund(account, { paymentIntent: payAgain(invoiceOf()), amount: 5_000 }),
  ],
  [
    'the first of two payments is refunded',
    '100',
    () => {
      const invoice = invoiceOf();
      const [first] = [...account.objects.payment_intents.values()].slice(-1);
      payAgain(invoice);
      addRefund(account, { paymentIntent: first!.id, amount: 10_000 });
    },
  ],
  [
    'both payments are refunded',
    '0',
    () => {
      const invoice = invoiceOf();
      const second = payAgain(invoice);
      addRefund(account, { invoice, amount: 10_000 });
      addRefund(account, { paymentIntent: second, amount: 10_000 });
    },
  ],
  [
    'a second payment that was lost in a dispute',
    '100',
    () => void addDispute(account, { paymentIntent: payAgain(invoiceOf()), amount: 10_000, status: 'lost' }),
  ],
  [
    'a payment of 150 that the invoice counts as overpaid, 50 refunded',
    '100',
    () => {
      const invoice = invoiceOf(10_000, { status: 'open' });
      const payment = addCharge(account, { customer, amount: 15_000 });
      addPayment(account, invoice, payment, 15_000);
      patch('invoices', invoice, { status: 'paid', amount_paid: 10_000, amount_remaining: 0, amount_overpaid: 5_000 });
      addRefund(account, { paymentIntent: payment, amount: 5_000 });
    },
  ],
  [
    'a payment of 150 that the invoice counts as overpaid, 100 refunded',
    '50',
    () => {
      const invoice = invoiceOf(10_000, { status: 'open' });
      const payment = addCharge(account, { customer, amount: 15_000 });
      addPayment(account, invoice, payment, 15_000);
      patch('invoices', invoice, { status: 'paid', amount_paid: 10_000, amount_remaining: 0, amount_overpaid: 5_000 });
      addRefund(account, { paymentIntent: payment, amount: 10_000 });
    },
  ],

  ['a payment of 300 of which 200 paid nothing', '100', () => void paidByPartOf(30_000)],
  [
    'a payment of 300, of which 250 are refunded',
    '50',
    () => void addRefund(account, { paymentIntent: paidByPartOf(30_000).payment, amount: 25_000 }),
  ],
  [
    'a payment of 300 that is refunded in two parts',
    '0',
    () => {
      const { payment } = paidByPartOf(30_000);
      addRefund(account, { paymentIntent: payment, amount: 15_000 });
      addRefund(account, { paymentIntent: payment, amount: 15_000 });
    },
  ],
  [
    'a payment of 300, of which 100 and 100 are refunded',
    '100',
    () => {
      const { payment } = paidByPartOf(30_000);
      addRefund(account, { paymentIntent: payment, amount: 10_000 });
      addRefund(account, { paymentIntent: payment, amount: 10_000 });
    },
  ],
  [
    'a payment of 300 that was lost in a dispute',
    '0',
    () => void addDispute(account, { paymentIntent: paidByPartOf(30_000).payment, amount: 30_000, status: 'lost' }),
  ],
  [
    'a payment of 200 for two invoices, half of it refunded',
    '100',
    () => {
      const payment = addCharge(account, { customer, amount: 20_000 });
      for (const invoice of [invoiceOf(10_000, { status: 'open' }), invoiceOf(10_000, { status: 'open' })]) {
        addPayment(account, invoice, payment, 10_000);
        patch('invoices', invoice, { status: 'paid', amount_paid: 10_000, amount_remaining: 0 });
      }
      addRefund(account, { paymentIntent: payment, amount: 10_000 });
    },
  ],

  ['written off without a payment', '0', () => writeOffInvoice(account, invoiceOf(10_000, { status: 'open' }))],
  ['written off after 60 were paid', '60', () => writeOffInvoice(account, paidByPartOf(6_000).invoice)],
  [
    'written off after 60 were paid and refunded',
    '0',
    () => {
      const { invoice, payment } = paidByPartOf(6_000);
      writeOffInvoice(account, invoice);
      addRefund(account, { paymentIntent: payment, amount: 6_000 });
    },
  ],
  [
    'written off after 60 were paid and lost in a dispute',
    '0',
    () => {
      const { invoice, payment } = paidByPartOf(6_000);
      writeOffInvoice(account, invoice);
      addDispute(account, { paymentIntent: payment, amount: 6_000, status: 'lost' });
    },
  ],
  [
    'written off after half was paid, with tax on top',
    '50',
    () => {
      const invoice = addInvoice(account, {
        customer,
        lines: [{ amount: 10_000, exclusiveTax: 2_000, ...june }],
        status: 'open',
      });
      payInvoice(account, invoice, 6_000);
      writeOffInvoice(account, invoice);
    },
  ],
  [
    'written off, then paid',
    '100',
    () => {
      const invoice = invoiceOf(10_000, { status: 'open' });
      writeOffInvoice(account, invoice);
      payInvoice(account, invoice);
    },
  ],
  ['open', '0', () => void invoiceOf(10_000, { status: 'open' })],
  ['open, 60 paid', '0', () => void paidByPartOf(6_000)],
  ['a draft', '0', () => void invoiceOf(10_000, { status: 'draft' })],
  ['voided', '0', () => voidInvoice(account, invoiceOf(10_000, { status: 'open' }))],

  ['a charge', '100', () => void addCharge(account, { customer, amount: 10_000 })],
  [
    'a charge of a Checkout, refunded in part',
    '70',
    () =>
      void addRefund(account, {
        paymentIntent: addCharge(account, { customer, amount: 10_000, checkout: {} }),
        amount: 3_000,
      }),
  ],
  [
    'a charge with tax in its Checkout, lost in a dispute',
    '0',
    () =>
      void addDispute(account, {
        paymentIntent: addCharge(account, { customer, amount: 12_000, checkout: { tax: 2_000 } }),
        amount: 12_000,
        status: 'lost',
      }),
  ],
  [
    'a charge with tax in its Checkout, half refunded',
    '50',
    () =>
      void addRefund(account, {
        paymentIntent: addCharge(account, { customer, amount: 12_000, checkout: { tax: 2_000 } }),
        amount: 6_000,
      }),
  ],
  ['a charge that was only authorized', '0', () => void addCharge(account, { customer, amount: 10_000, captured: 0 })],
  [
    'a charge for June and July',
    '50',
    () =>
      void addCharge(account, {
        customer,
        amount: 10_000,
        metadata: { service_period_start: '2026-06-01', service_period_end: '2026-07-31' },
      }),
  ],
  [
    'a charge for July alone',
    '0',
    () =>
      void addCharge(account, {
        customer,
        amount: 10_000,
        metadata: { service_period_start: '2026-07-01', service_period_end: '2026-08-01' },
      }),
  ],
  [
    'a charge for June and July, half refunded',
    '25',
    () => {
      const metadata = { service_period_start: '2026-06-01', service_period_end: '2026-07-31' };
      addRefund(account, { paymentIntent: addCharge(account, { customer, amount: 10_000, metadata }), amount: 5_000 });
    },
  ],

  [
    'a balance that was bought by a charge, and an invoice of 60 from it',
    '100',
    () => {
      addCharge(account, { customer, amount: 10_000 });
      addBalance(account, customer, { amount: -10_000 });
      account.now += 60;
      invoiceOf(6_000, { fromBalance: 6_000 });
    },
  ],
  [
    'a balance of 40 that was bought, and an invoice of 60 of which it paid 40',
    '60',
    () => {
      invoiceOf(4_000);
      addBalance(account, customer, { amount: -4_000 });
      account.now += 60;
      invoiceOf(6_000, { fromBalance: 4_000 });
    },
  ],
  [
    'a balance from an overpayment, which pays the next invoice',
    '160',
    () => {
      invoiceOf();
      addBalance(account, customer, { amount: -6_000, type: 'invoice_overpaid' });
      account.now += 60;
      invoiceOf(6_000, { fromBalance: 6_000 });
    },
  ],
  [
    'a balance from a downgrade, which pays the next invoice',
    '60',
    () => {
      addBalance(account, customer, { amount: -6_000, type: 'invoice_too_large' });
      account.now += 60;
      invoiceOf(6_000, { fromBalance: 6_000 });
    },
  ],
  [
    'a debt of 20 that the invoice collects, everything refunded',
    '0',
    () => {
      const invoice = invoiceOf(10_000, { status: 'open' });
      patch('invoices', invoice, {
        starting_balance: 2_000,
        ending_balance: 0,
        amount_due: 12_000,
        amount_remaining: 12_000,
      });
      payInvoice(account, invoice);
      addRefund(account, { invoice, amount: 12_000 });
    },
  ],
  ['an invoice in euros', '0', () => void invoiceOf(10_000, { currency: 'eur' })],

  [
    'a part of the invoice is paid and refunded before the rest is paid',
    '40',
    () => {
      const { invoice, payment } = paidByPartOf(6_000);
      addRefund(account, { paymentIntent: payment, amount: 6_000 });
      payInvoice(account, invoice);
    },
  ],
  [
    'three refunds of odd amounts',
    '39.67',
    () => {
      const invoice = invoiceOf();
      for (const amount of [1_000, 2_000, 3_033]) addRefund(account, { invoice, amount });
    },
  ],
  [
    'one refund that two notes divide',
    '50',
    () => {
      const invoice = linesInvoice({ amount: 6_000 }, { amount: 4_000 });
      const [one, other] = linesOf(account, invoice);
      const refund = addRefund(account, { invoice, amount: 5_000 });
      addCreditNote(account, { invoice, credits: [{ line: one!.id, amount: 3_000 }], refund, refundAmount: 3_000 });
      addCreditNote(account, { invoice, credits: [{ line: other!.id, amount: 2_000 }], refund, refundAmount: 2_000 });
    },
  ],
  [
    'a note of 40 to the balance, a lost dispute of everything, and an invoice from the balance',
    '40',
    () => {
      const invoice = invoiceOf();
      const creditNote = addCreditNote(account, { invoice, credits: [{ line: lineOf(invoice), amount: 4_000 }] });
      addBalance(account, customer, { amount: -4_000, type: 'credit_note', creditNote });
      lost(invoice);
      account.now += 60;
      invoiceOf(4_000, { fromBalance: 4_000 });
    },
  ],
  [
    'a lost dispute of 40 and a won one of 60',
    '60',
    () => {
      const invoice = invoiceOf();
      lost(invoice, 4_000);
      addDispute(account, { invoice, amount: 6_000, status: 'won' });
    },
  ],
  [
    'a won dispute whose funds came back',
    '100',
    () => {
      const moved = [-10_000, 10_000].map((amount) => ({ amount, currency: 'usd' }));
      patch('disputes', addDispute(account, { invoice: invoiceOf(), amount: 10_000, status: 'won' }), {
        balance_transactions: moved,
      });
    },
  ],
  [
    'a prevented dispute and its refund',
    '0',
    () => {
      const invoice = invoiceOf();
      addDispute(account, { invoice, amount: 10_000, status: 'prevented' });
      addRefund(account, { invoice, amount: 10_000 });
    },
  ],
  [
    'a note by a line with tax on top, and its refund',
    '50',
    () => {
      const invoice = linesInvoice({ amount: 10_000, exclusiveTax: 2_000 });
      const refund = addRefund(account, { invoice, amount: 6_000 });
      const id = addCreditNote(account, { invoice, credits: [{ line: lineOf(invoice), amount: 5_000 }], refund });
      patch('credit_notes', id, {
        amount: 6_000,
        total: 6_000,
        total_excluding_tax: 5_000,
        total_taxes: [{ amount: 1_000 }],
      });
      const [line] = linesOf(account, id);
      line!['taxes'] = [{ amount: 1_000, tax_behavior: 'exclusive', type: 'tax_rate_details' }];
    },
  ],
  [
    'a note by a line with tax inside, and its refund',
    '50',
    () => {
      const invoice = linesInvoice({ amount: 12_000, inclusiveTax: 2_000 });
      const refund = addRefund(account, { invoice, amount: 6_000 });
      addCreditNote(account, {
        invoice,
        credits: [{ line: lineOf(invoice), amount: 6_000, inclusiveTax: 1_000 }],
        refund,
      });
    },
  ],
  [
    'a note by a line and shipping, and its refund',
    '50',
    () => {
      const invoice = invoiceOf(10_000, { shipping: 2_000 });
      const refund = addRefund(account, { invoice, amount: 7_000 });
      addCreditNote(account, { invoice, credits: [{ line: lineOf(invoice), amount: 5_000 }], shipping: 2_000, refund });
    },
  ],
  ['a note out of band without a dispute', '50', () => note(invoiceOf(), 5_000, { outOfBand: 5_000 })],
  [
    'a note of 30 before the payment, 40 paid, the rest written off',
    '40',
    () => {
      const invoice = invoiceOf(10_000, { status: 'open' });
      note(invoice, 3_000);
      payInvoice(account, invoice, 4_000);
      writeOffInvoice(account, invoice);
    },
  ],
  [
    'an open invoice that a note credited whole',
    '0',
    () => {
      const invoice = invoiceOf(10_000, { status: 'open' });
      note(invoice, 10_000);
      patch('invoices', invoice, { status: 'paid' });
    },
  ],
  [
    'paid out of band',
    '100',
    () => {
      const invoice = invoiceOf(10_000, { status: 'open' });
      patch('invoices', invoice, { status: 'paid', amount_paid: 10_000, amount_remaining: 0, paid_out_of_band: true });
    },
  ],
  [
    'a top-up, and an invoice with tax that the balance paid',
    '100',
    () => {
      invoiceOf();
      addBalance(account, customer, { amount: -10_000 });
      account.now += 60;
      addInvoice(account, { customer, lines: [{ amount: 6_000, exclusiveTax: 600, ...june }], fromBalance: 6_600 });
    },
  ],
  [
    'a top-up of 100 with a bonus of 20, all used',
    '100',
    () => {
      invoiceOf();
      addBalance(account, customer, { amount: -12_000 });
      account.now += 60;
      invoiceOf(12_000, { fromBalance: 12_000 });
    },
  ],
  [
    'a top-up used by two invoices, the second paid in part by card',
    '150',
    () => {
      invoiceOf();
      addBalance(account, customer, { amount: -10_000 });
      account.now += 60;
      invoiceOf(7_000, { fromBalance: 7_000 });
      account.now += 60;
      invoiceOf(8_000, { fromBalance: 3_000 });
    },
  ],
  [
    'a top-up that was refunded before it was used',
    '0',
    () => {
      const invoice = invoiceOf();
      addBalance(account, customer, { amount: -10_000 });
      account.now += 60;
      addRefund(account, { invoice, amount: 10_000 });
      addBalance(account, customer, { amount: 10_000 });
    },
  ],
  [
    'a credit of 40 as a present, and an invoice of 60',
    '20',
    () => {
      addBalance(account, customer, { amount: -4_000 });
      account.now += 60;
      invoiceOf(6_000, { fromBalance: 4_000 });
    },
  ],
  [
    'a bought balance of 40, an invoice of 100, and a lost dispute of the 60 paid by card',
    '40',
    () => {
      invoiceOf(4_000);
      addBalance(account, customer, { amount: -4_000 });
      account.now += 60;
      const invoice = invoiceOf(10_000, { fromBalance: 4_000 });
      lost(invoice, 6_000);
    },
  ],
  [
    'a downgrade credit of 40, an invoice of 100, and a refund of the 60 paid by card',
    '40',
    () => {
      addBalance(account, customer, { amount: -4_000, type: 'invoice_too_large' });
      account.now += 60;
      const invoice = invoiceOf(10_000, { fromBalance: 4_000 });
      addRefund(account, { invoice, amount: 6_000 });
    },
  ],
  [
    'a Checkout of three pieces with tax and taxed shipping',
    '60',
    () => void addCharge(account, { customer, amount: 7_800, checkout: { tax: 1_300, shipping: 500 } }),
  ],
  [
    'a Checkout of three pieces, of which one is refunded with its tax',
    '40',
    () =>
      void addRefund(account, {
        paymentIntent: addCharge(account, { customer, amount: 7_200, checkout: { tax: 1_200 } }),
        amount: 2_400,
      }),
  ],
  [
    'a payment of 200 for two invoices, and a lost dispute of 150',
    '50',
    () => {
      const payment = addCharge(account, { customer, amount: 20_000 });
      for (const invoice of [invoiceOf(10_000, { status: 'open' }), invoiceOf(10_000, { status: 'open' })]) {
        addPayment(account, invoice, payment, 10_000);
        patch('invoices', invoice, { status: 'paid', amount_paid: 10_000, amount_remaining: 0 });
      }
      addDispute(account, { paymentIntent: payment, amount: 15_000, status: 'lost' });
    },
  ],
  [
    'two payments of 60 and 40, the second refunded',
    '60',
    () => {
      const { invoice } = paidByPartOf(6_000);
      addRefund(account, { paymentIntent: payInvoice(account, invoice), amount: 4_000 });
    },
  ],
  [
    'two payments of 60 and 40, the first lost in a dispute, and a note of everything',
    '0',
    () => {
      const { invoice, payment } = paidByPartOf(6_000);
      payInvoice(account, invoice);
      addDispute(account, { paymentIntent: payment, amount: 6_000, status: 'lost' });
      note(invoice, 10_000, { outOfBand: 6_000 });
    },
  ],
  [
    'a downgrade of more than the invoice, whose credit pays the next one',
    '30',
    () => {
      linesInvoice({ amount: 2_000 }, { amount: -5_000, proration: true });
      addBalance(account, customer, { amount: -3_000, type: 'invoice_too_large' });
      account.now += 60;
      invoiceOf(6_000, { fromBalance: 3_000 });
    },
  ],
  [
    'written off after half was paid, with shipping of 20',
    '50',
    () => {
      const invoice = invoiceOf(10_000, { shipping: 2_000, status: 'open' });
      payInvoice(account, invoice, 6_000);
      writeOffInvoice(account, invoice);
    },
  ],
  [
    'written off after 60 were paid, and a note of the other 40',
    '60',
    () => {
      const { invoice } = paidByPartOf(6_000);
      writeOffInvoice(account, invoice);
      note(invoice, 4_000);
      patch('invoices', invoice, { amount_due: 6_000, amount_remaining: 0 });
    },
  ],
  [
    'a charge of Accounts v2',
    '100',
    () => {
      const owner = 'acct_owner';
      put(account, 'customers', { ...find(account, 'customers', customer), customer_account: owner }, null);
      const intent = addCharge(account, { customer: null, amount: 10_000 });
      for (const list of ['charges', 'payment_intents'] as const)
        for (const object of account.objects[list].values())
          if (object['payment_intent'] === intent || object.id === intent) object['customer_account'] = owner;
    },
  ],
];

const revenues = new Map<string, string>();
beforeAll(async () => {
  service = await startRevenue();
  account = service.standIn.account;
  account.now = june.start + 3600;
  for (const [what, , build] of CASES) {
    customer = addCustomer(account, { metadata: { user_id: what } });
    build();
  }
  await service.connect();
  await service.sync();
  const costs = costLines(service.organizationId, Object.fromEntries(CASES.map(([what]) => [what, '1'])), '0');
  const { comparison } = await compareCostAndRevenue(service.context, parseWindow(JUNE), { costs, throughEnd: true });
  for (const { externalId, revenue } of comparison.endUsers) revenues.set(externalId, plain(revenue));
});
afterAll(() => service.close());

it.each(CASES)('%s: %s', (what, expected) => {
  expect(revenues.get(what)).toBe(expected);
});

it('no invoice is below zero', async () => {
  expect((await verifyRevenue(service.context)).flatMap(({ differences }) => differences)).toEqual([]);
});
