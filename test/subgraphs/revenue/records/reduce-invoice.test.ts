/** Random credit notes, refunds and disputes: never more than the invoice earned, in any order. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { money, plain, sum } from '#kernel/money.ts';
import { openRemainder } from '../../../../subgraphs/revenue/records/remainder.ts';
import type { RecordFacts } from '../../../../subgraphs/revenue/records/correct-record.ts';
import {
  type PaymentReversal,
  reduceInvoice,
  type ReducedInvoice,
} from '../../../../subgraphs/revenue/records/reduce-invoice.ts';

const INVOICE = 'in_1';
const cents = fc.integer({ min: 0, max: 40_000 });

const line = (amount: number, position: number): RecordFacts => ({
  lineId: `il_${position}`,
  kind: 'invoice_line',
  sourceId: INVOICE,
  invoiceId: INVOICE,
  position,
  customerId: 'cus_1',
  amount: money(String(amount)).div(100),
  currency: 'usd',
  periodStart: 1_780_272_000,
  periodEnd: 1_782_864_000,
});

const note = fc
  .record({
    id: fc.nat(99),
    credits: fc.array(fc.record({ line: fc.option(fc.nat(3)), cents, isGross: fc.boolean() }), { maxLength: 3 }),
    outOfBand: cents,
    refund: fc.option(fc.nat(5)),
    refunded: cents,
    counts: fc.boolean(),
  })
  .map(({ id, credits, outOfBand, refund, refunded, counts }) => ({
    id: `cn_${id}`,
    kind: 'credit_note' as const,
    counts,
    invoiceId: INVOICE,
    amountMinor: credits.reduce((all, credit) => all + BigInt(credit.cents), 0n),
    outOfBandMinor: BigInt(outOfBand),
    lines: credits.map((credit, index) => ({
      id: `cnli_${id}_${index}`,
      invoiceLineId: credit.line === null ? null : `il_${credit.line}`,
      amountMinor: String(credit.cents),
      isGross: credit.isGross,
    })),
    linkedRefunds: refund === null ? [] : [{ refundId: `re_${refund}`, amountMinor: String(refunded) }],
  }));

const reversal = fc
  .record({
    id: fc.nat(9),
    isDispute: fc.boolean(),
    cents,
    payment: fc.nat(1),
    other: fc.option(cents),
    here: cents,
    counts: fc.boolean(),
  })
  .map(({ id, isDispute, cents: amount, payment, other, here, counts }): PaymentReversal => ({
    id: `${isDispute ? 'dp' : 're'}_${id}`,
    kind: isDispute ? 'dispute' : 'refund',
    counts,
    invoiceId: null,
    amountMinor: BigInt(amount),
    outOfBandMinor: 0n,
    lines: [],
    linkedRefunds: [],
    payment: `pi_${payment}`,
    unappliedMinor: payment === 0 ? 0n : 700n,
    paid: [
      { invoiceId: INVOICE, amountPaid: BigInt(here) },
      ...(other === null ? [] : [{ invoiceId: 'in_2', amountPaid: BigInt(other) }]),
    ],
  }));

const invoice = fc
  .record({
    lines: fc.array(fc.integer({ min: -5_000, max: 20_000 }), { minLength: 1, maxLength: 4 }),
    notRevenue: fc.integer({ min: 0, max: 5_000 }),
    overpaid: fc.integer({ min: 0, max: 5_000 }),
    creditNotes: fc.uniqueArray(note, { selector: ({ id }) => id, maxLength: 4 }),
    refunds: fc.uniqueArray(reversal, { selector: ({ id }) => id, maxLength: 5 }),
  })
  .map(({ lines, notRevenue, overpaid, creditNotes, refunds }): ReducedInvoice => ({
    id: INVOICE,
    notRevenueMinor: BigInt(notRevenue),
    overpaidMinor: BigInt(overpaid),
    lines: lines.map(line),
    creditNotes,
    refunds,
  }));

const centsOf = (records: readonly RecordFacts[]) => Number(plain(sum(records.map(({ amount }) => amount)).times(100)));
const earned = ({ lines }: ReducedInvoice) => Math.max(0, centsOf(lines));

describe('the reversals of an invoice', () => {
  it('never exceed what it earned, and never increase it', () => {
    fc.assert(
      fc.property(invoice, (one) => {
        const taken = -centsOf(reduceInvoice(one));
        expect(taken).toBeGreaterThanOrEqual(0);
        expect(taken).toBeLessThanOrEqual(earned(one));
      }),
      { numRuns: 2_000 },
    );
  });

  it('take no line below zero', () => {
    fc.assert(
      fc.property(invoice, (one) => {
        const records = reduceInvoice(one);
        for (const { lineId, amount } of one.lines) {
          const left = records
            .filter((record) => record.position === one.lines.findIndex((each) => each.lineId === lineId))
            .reduce((rest, record) => rest.plus(record.amount), amount);
          expect(amount.isNegative() ? left.gte(amount) && left.lte(0) : left.gte(0) && left.lte(amount)).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('do not depend on their order', () => {
    fc.assert(
      fc.property(invoice, (one) => {
        const turned = { ...one, creditNotes: [...one.creditNotes].reverse(), refunds: [...one.refunds].reverse() };
        expect(reduceInvoice(turned)).toEqual(reduceInvoice(one));
      }),
    );
  });

  // A note that names a refund of the invoice only classifies that refund: it adds no reversal of its own.
  it('grow with one more credit note that names no refund, or stay the same', () => {
    fc.assert(
      fc.property(invoice, note, (one, { outOfBandMinor, amountMinor, ...more }) => {
        fc.pre(one.creditNotes.every(({ id }) => id !== more.id));
        const outOfBand = outOfBandMinor < amountMinor ? outOfBandMinor : amountMinor;
        const added = { ...more, amountMinor, outOfBandMinor: outOfBand, linkedRefunds: [] };
        const before = -centsOf(reduceInvoice(one));
        const after = -centsOf(reduceInvoice({ ...one, creditNotes: [...one.creditNotes, added] }));
        // An out-of-band note replaces a dispute, and the two are rounded separately.
        expect(after).toBeGreaterThanOrEqual(outOfBand === 0n ? before : before - 1);
      }),
      { numRuns: 2_000 },
    );
  });

  it('grow with one more refund or dispute that no note names, or stay the same', () => {
    fc.assert(
      fc.property(invoice, reversal, (one, more) => {
        const named = one.creditNotes.flatMap(({ linkedRefunds }) => linkedRefunds.map(({ refundId }) => refundId));
        fc.pre(one.refunds.every(({ id }) => id !== more.id) && !named.includes(more.id));
        const before = -centsOf(reduceInvoice(one));
        const after = -centsOf(reduceInvoice({ ...one, refunds: [...one.refunds, more] }));
        expect(after).toBeGreaterThanOrEqual(before);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('what is left of an invoice', () => {
  it('is used up completely, however small the parts are and however they are rounded', () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt(1n, 9n), { minLength: 1, maxLength: 4 }),
        fc.bigInt(0n, 9n),
        fc.bigInt(1n, 3n),
        (lines, besides, part) => {
          const remainder = openRemainder(lines, besides);
          const earned = lines.reduce((total, line) => total + line, 0n);
          let taken = 0n;
          for (let left = earned + besides; left > 0n; left -= part)
            taken += remainder.take(left < part ? left : part, { isGross: true }).reduce((sum, one) => sum + one, 0n);
          expect(taken).toBe(earned);
          expect(remainder.take(1n, { isGross: true })).toEqual([]);
        },
      ),
    );
  });

  it('comes from the lines once tax and shipping are used up', () => {
    // Rounding takes each cent from the tax, until its five cents are used up.
    const remainder = openRemainder([1n, 1n], 5n);
    const taken = Array.from({ length: 8 }, () => remainder.take(1n, { isGross: true }).join(' '));
    expect(taken).toEqual(['0 0', '0 0', '0 0', '0 0', '0 0', '1 0', '0 1', '']);
  });
});

it.each([
  ['refund', '-70'],
  ['dispute', '-40'],
] as const)('an out-of-band note covers a dispute, but no refund that it does not name: %s', (kind, total) => {
  const common = { counts: true, invoiceId: INVOICE, linkedRefunds: [] };
  const credit = { id: 'cnli_1', invoiceLineId: null, amountMinor: '4000', isGross: false };
  const records = reduceInvoice({
    ...{ id: INVOICE, notRevenueMinor: 0n, overpaidMinor: 0n, lines: [line(10_000, 0)] },
    creditNotes: [
      { ...common, id: 'cn_1', kind: 'credit_note', amountMinor: 4_000n, outOfBandMinor: 4_000n, lines: [credit] },
    ],
    refunds: [
      {
        ...{ ...common, id: 're_1', kind, amountMinor: 3_000n, outOfBandMinor: 0n, lines: [], payment: 'ch_1' },
        ...{ paid: [{ invoiceId: INVOICE, amountPaid: 10_000n }], unappliedMinor: 0n },
      },
    ],
  });
  expect(plain(sum(records.map(({ amount }) => amount)))).toBe(total);
});
