/**
 * Revenue that credit notes, refunds and lost disputes take back from an invoice's lines, at most what they earned
 * (decision 9, D41).
 */
import { type Money, money } from '#kernel/money.ts';
import type { RecordFacts } from './correct-record.ts';
import { fromMinorUnits, toMinorUnits } from '../stripe/minor-units.ts';
import type { CreditNoteLine, SyncedReduction } from '../stripe/read-reduction.ts';
import { allocate } from '#kernel/allocate.ts';
import { openRemainder, type Remainder } from './remainder.ts';

/** An invoice with its recorded lines, credit notes and reversals. */
export interface ReducedInvoice {
  readonly id: string;
  /** Tax, shipping and other charges that are not revenue. */
  readonly notRevenueMinor: bigint;
  /** Overpayment: returning it takes back no revenue. */
  readonly overpaidMinor: bigint;
  /** Live records of the invoice's own lines. */
  readonly lines: readonly RecordFacts[];
  /** Credit notes of this invoice, and of the invoices that share a payment with it. */
  readonly creditNotes: readonly Reduction[];
  readonly refunds: readonly PaymentReversal[];
}

type Reduction = Pick<
  SyncedReduction,
  'id' | 'kind' | 'counts' | 'invoiceId' | 'amountMinor' | 'outOfBandMinor' | 'lines' | 'linkedRefunds'
>;

export interface PaymentReversal extends Reduction {
  /** Id of the payment. Reversals of one payment share its `unappliedMinor`. */
  readonly payment: string;
  /** Amounts the reversed payment paid per invoice, including this one; usually the only one. */
  readonly paid: readonly { readonly invoiceId: string; readonly amountPaid: bigint }[];
  /** Part of the payment that paid no invoice. */
  readonly unappliedMinor: bigint;
}

/**
 * Returns the negative records that should exist. They depend only on the set of reversals, not on their arrival:
 * credit notes apply first, then the others by id. An invoice without live lines has none.
 */
export function reduceInvoice(invoice: ReducedInvoice): RecordFacts[] {
  const lines = [...invoice.lines].sort((a, b) => a.position - b.position || (a.lineId < b.lineId ? -1 : 1));
  if (lines.length === 0) return [];
  const remainder = openRemainder(
    lines.map(({ amount, currency }) => toMinorUnits(amount, currency)),
    invoice.notRevenueMinor,
  );
  const issued = invoice.creditNotes.filter(({ counts }) => counts).sort(byId);
  const own = issued.filter(({ invoiceId }) => invoiceId === invoice.id);
  const credits = own.flatMap((note) => creditLines(note, lines, remainder));
  const reversals = invoice.refunds.filter(({ counts }) => counts).sort(byId);
  const amounts = amountsHere(reversals, { issued, own, invoice });
  return [
    ...credits,
    ...reversals.flatMap((reversal, index) =>
      recordsOf(reversal.id, reversal, lines, remainder.take(amounts[index] ?? 0n, { isGross: true })),
    ),
  ];
}

/** A credit that names a line is taken from that line first. A note's credits never exceed the note's total. */
function creditLines(note: Reduction, lines: readonly RecordFacts[], remainder: Remainder): RecordFacts[] {
  let left = note.lines.reduce((sum, { amountMinor }) => sum + BigInt(amountMinor), 0n);
  return note.lines.flatMap((credit: CreditNoteLine) => {
    const amount = smaller(BigInt(credit.amountMinor), left);
    if (amount <= 0n) return [];
    left -= amount;
    const index = lines.findIndex(({ lineId }) => lineId === credit.invoiceLineId);
    const line = lines[index];
    if (line === undefined)
      return recordsOf(credit.id, note, lines, remainder.take(amount, { isGross: credit.isGross ?? false }));
    const own = remainder.takeFromLine(index, amount);
    return [
      ...(own === 0n ? [] : [takeBack(line, credit.id, note, own)]),
      ...recordsOf(credit.id, note, lines, remainder.take(amount - own, { isGross: false })),
    ];
  });
}

/**
 * Amount each reversal takes from this invoice, including tax. Excludes amounts covered by a credit note, the part of
 * the payment that paid no invoice, and this invoice's overpayment.
 */
function amountsHere(
  reversals: readonly PaymentReversal[],
  {
    issued,
    own,
    invoice,
  }: { issued: readonly Reduction[]; own: readonly Reduction[]; invoice: Pick<ReducedInvoice, 'id' | 'overpaidMinor'> },
): bigint[] {
  const unapplied = new Map(reversals.map(({ payment, unappliedMinor }) => [payment, unappliedMinor]));
  let overpaid = invoice.overpaidMinor;
  let outOfBand = own.reduce((sum, { outOfBandMinor }) => sum + outOfBandMinor, 0n);
  return reversals.map((reversal) => {
    const credited = reversal.kind === 'refund' ? creditedBy(reversal, issued) : 0n;
    const left = atLeastZero(reversal.amountMinor - credited);
    const free = smaller(left, unapplied.get(reversal.payment) ?? 0n);
    unapplied.set(reversal.payment, (unapplied.get(reversal.payment) ?? 0n) - free);
    let here = shareOf(reversal, left - free, { issued, reversals, invoiceId: invoice.id });
    const beyond = smaller(here, overpaid);
    overpaid -= beyond;
    here -= beyond;
    if (reversal.kind !== 'dispute') return here;
    const noted = smaller(here, outOfBand);
    outOfBand -= noted;
    return here - noted;
  });
}

/**
 * Allocates a reversal to the invoices of its payment by the amounts paid, less refunds already linked to credit
 * notes.
 */
function shareOf(
  reversal: PaymentReversal,
  amount: bigint,
  {
    issued,
    reversals,
    invoiceId,
  }: { issued: readonly Reduction[]; reversals: readonly PaymentReversal[]; invoiceId: string },
): bigint {
  const here = reversal.paid.findIndex((paid) => paid.invoiceId === invoiceId);
  const ofPayment = reversals.filter(({ kind, payment }) => kind === 'refund' && payment === reversal.payment);
  const still = reversal.paid.map((paid) => {
    const notes = issued.filter((note) => note.invoiceId === paid.invoiceId);
    return atLeastZero(
      paid.amountPaid -
        ofPayment.reduce((sum, refund) => sum + smaller(creditedBy(refund, notes), refund.amountMinor), 0n),
    );
  });
  const weights = still.some((weight) => weight > 0n) ? still : reversal.paid.map(({ amountPaid }) => amountPaid);
  return allocate(amount, weights)[here] ?? 0n;
}

function creditedBy(refund: Reduction, notes: readonly Reduction[]): bigint {
  const links = notes.flatMap(({ linkedRefunds }) => linkedRefunds).filter(({ refundId }) => refundId === refund.id);
  return links.reduce(
    (sum, { amountMinor }) => sum + (amountMinor === null ? refund.amountMinor : BigInt(amountMinor)),
    0n,
  );
}

function recordsOf(
  id: string,
  source: Reduction,
  lines: readonly RecordFacts[],
  parts: readonly bigint[],
): RecordFacts[] {
  return lines.flatMap((line, index) => {
    const part = parts[index] ?? 0n;
    return part === 0n ? [] : [takeBack(line, `${id}/${line.lineId}`, source, part)];
  });
}

function takeBack(line: RecordFacts, lineId: string, source: Reduction, amount: bigint): RecordFacts {
  return {
    ...line,
    lineId,
    kind: source.kind,
    sourceId: source.id,
    amount: negative(fromMinorUnits(amount, line.currency)),
  };
}

function negative(amount: Money): Money {
  return money('0').minus(amount);
}

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function atLeastZero(amount: bigint): bigint {
  return amount < 0n ? 0n : amount;
}

function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1;
}
