/** What credit notes, refunds and lost disputes take back from the lines of one invoice (decision 9, D41). */
import { type Money, money } from '../../../kernel/money.ts';
import { allocate } from './allocate.ts';
import type { RecordFacts } from './correct-record.ts';
import { fromMinorUnits, toMinorUnits } from '../stripe/minor-units.ts';
import type { SyncedReduction } from '../stripe/read-reduction.ts';

/** An invoice with its lines as recorded, and everything that takes something back from it. */
export interface ReducedInvoice {
  readonly id: string;
  readonly taxMinor: bigint;
  /** Live records of the invoice's own lines. */
  readonly lines: readonly RecordFacts[];
  /** Credit notes of this invoice, and of the invoices that share a payment with it. */
  readonly creditNotes: readonly Reduction[];
  readonly refunds: readonly PaymentReversal[];
}

type Reduction = Pick<
  SyncedReduction,
  'id' | 'kind' | 'counts' | 'invoiceId' | 'amountMinor' | 'lines' | 'linkedRefunds'
>;

export interface PaymentReversal extends Reduction {
  /** What the reversed payment paid of each invoice, this one among them; usually it is the only one. */
  readonly paid: readonly { readonly invoiceId: string; readonly amountPaid: bigint }[];
}

/** The negative records that should exist. An invoice without live lines has no revenue to take back. */
export function reduceInvoice(invoice: ReducedInvoice): RecordFacts[] {
  const lines = [...invoice.lines].sort((a, b) => a.position - b.position || (a.lineId < b.lineId ? -1 : 1));
  if (lines.length === 0) return [];
  const issued = invoice.creditNotes.filter(({ counts }) => counts);
  return [
    ...issued.filter(({ invoiceId }) => invoiceId === invoice.id).flatMap((note) => creditLines(note, lines)),
    ...invoice.refunds.filter(({ counts }) => counts).flatMap((refund) => reverse(refund, issued, invoice, lines)),
  ];
}

function creditLines(note: Reduction, lines: readonly RecordFacts[]): RecordFacts[] {
  const byId = new Map(lines.map((line) => [line.lineId, line]));
  return note.lines.flatMap((credit) => {
    const line = credit.invoiceLineId === null ? undefined : byId.get(credit.invoiceLineId);
    const amount = BigInt(credit.amountMinor);
    if (line) return [takeBack(line, credit.id, note, amount)];
    return allocate(amount, weightsOf(lines)).flatMap((part, index) => partOf(lines[index], credit.id, note, part));
  });
}

/** What credit notes already account for is counted once. Tax is one more part of the allocation, and no revenue. */
function reverse(
  refund: PaymentReversal,
  issued: readonly Reduction[],
  invoice: ReducedInvoice,
  lines: readonly RecordFacts[],
): RecordFacts[] {
  const credited = refund.kind === 'refund' ? creditedBy(refund, issued) : 0n;
  const left = credited < refund.amountMinor ? refund.amountMinor - credited : 0n;
  const here = refund.paid.findIndex(({ invoiceId }) => invoiceId === invoice.id);
  const amount =
    allocate(
      left,
      refund.paid.map(({ amountPaid }) => amountPaid),
    )[here] ?? 0n;
  if (amount === 0n) return [];
  const parts = allocate(amount, [...weightsOf(lines), invoice.taxMinor]);
  return lines.flatMap((line, index) => partOf(line, refund.id, refund, parts[index] ?? 0n));
}

function creditedBy(refund: PaymentReversal, issued: readonly Reduction[]): bigint {
  const links = issued.flatMap(({ linkedRefunds }) => linkedRefunds).filter(({ refundId }) => refundId === refund.id);
  return links.reduce(
    (sum, { amountMinor }) => sum + (amountMinor === null ? refund.amountMinor : BigInt(amountMinor)),
    0n,
  );
}

function weightsOf(lines: readonly RecordFacts[]): bigint[] {
  return lines.map(({ amount, currency }) => toMinorUnits(amount, currency));
}

function partOf(line: RecordFacts | undefined, id: string, source: Reduction, amount: bigint): RecordFacts[] {
  return line === undefined || amount === 0n ? [] : [takeBack(line, `${id}/${line.lineId}`, source, amount)];
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
