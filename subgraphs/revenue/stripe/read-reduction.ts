/** What is kept of credit notes, refunds and disputes: they take revenue back (decision 9, D41). */
import { z } from 'zod';
import { deductions, netOf } from './read-invoice-line.ts';
import {
  currencyCode,
  epochSeconds,
  idOf,
  listOf,
  minorUnits,
  objectId,
  optionalIdOf,
  readObject,
} from './read-object.ts';

export interface SyncedReduction {
  readonly id: string;
  readonly kind: 'credit_note' | 'refund' | 'dispute';
  /** Issued, succeeded or lost. */
  readonly counts: boolean;
  /** Of a credit note; of a refund only where the processor still says so (API versions before 2025-03-31). */
  readonly invoiceId: string | null;
  /** Payment intent and charge of a refund or a dispute. */
  readonly paymentIds: readonly string[];
  readonly currency: string;
  /** Minor units, positive. With tax for a refund or dispute, without for a credit note. */
  readonly amountMinor: bigint;
  readonly lines: readonly CreditNoteLine[];
  readonly linkedRefunds: readonly LinkedRefund[];
  /** Whether `lines` is only the beginning. */
  readonly moreLines: boolean;
  readonly created: number | null;
}

export interface CreditNoteLine {
  readonly id: string;
  /** Null for a credit that belongs to no line: it is allocated over all. */
  readonly invoiceLineId: string | null;
  /** Minor units as text, positive, after discounts and without tax. */
  readonly amountMinor: string;
}

interface LinkedRefund {
  readonly refundId: string;
  /** Minor units as text; null: all of it. */
  readonly amountMinor: string | null;
}

const creditNoteLine = z.object({
  ...deductions,
  id: objectId,
  discount_amount: minorUnits.nullish(),
  invoice_line_item: optionalIdOf,
});

const creditNote = z.object({
  id: objectId,
  status: z.string().nullish(),
  invoice: idOf,
  currency: currencyCode,
  created: epochSeconds.nullish(),
  lines: listOf(z.unknown()),
  refunds: z.array(z.object({ refund: optionalIdOf, amount_refunded: minorUnits.nullish() })).nullish(),
  refund: optionalIdOf,
});

const reversal = z.object({
  id: objectId,
  status: z.string().nullish(),
  amount: minorUnits,
  currency: currencyCode,
  created: epochSeconds.nullish(),
  payment_intent: optionalIdOf,
  charge: optionalIdOf,
});

export function readCreditNote(raw: unknown): SyncedReduction {
  const note = readObject(creditNote, raw, 'a credit note');
  const lines = note.lines.data.map(readCreditNoteLine);
  return {
    id: note.id,
    kind: 'credit_note',
    counts: note.status !== 'void',
    invoiceId: note.invoice,
    paymentIds: [],
    currency: note.currency,
    amountMinor: lines.reduce((sum, { amountMinor }) => sum + BigInt(amountMinor), 0n),
    lines,
    linkedRefunds: linkedRefunds(note),
    moreLines: note.lines.has_more,
    created: note.created ?? null,
  };
}

export function readCreditNoteLine(raw: unknown): CreditNoteLine {
  const line = readObject(creditNoteLine, raw, 'a line of a credit note');
  const discounts = line.discount_amounts ?? (line.discount_amount ? [{ amount: line.discount_amount }] : []);
  return {
    id: line.id,
    invoiceLineId: line.invoice_line_item,
    amountMinor: String(netOf({ ...line, discount_amounts: discounts })),
  };
}

/** A refund that is still on its way, or failed, takes nothing back. */
export function readRefund(raw: unknown): SyncedReduction {
  const read = readObject(reversal, raw, 'a refund');
  return reversalOf(
    raw,
    read,
    'refund',
    read.status === 'succeeded' || read.status === null || read.status === undefined,
  );
}

export function readDispute(raw: unknown): SyncedReduction {
  const read = readObject(reversal, raw, 'a dispute');
  return reversalOf(raw, read, 'dispute', read.status === 'lost');
}

function reversalOf(
  raw: unknown,
  read: z.infer<typeof reversal>,
  kind: 'refund' | 'dispute',
  counts: boolean,
): SyncedReduction {
  const { charge } = z
    .object({ charge: z.object({ invoice: optionalIdOf, payment_intent: optionalIdOf }).nullish().catch(null) })
    .parse(raw);
  return {
    id: read.id,
    kind,
    counts,
    invoiceId: charge?.invoice ?? null,
    paymentIds: [
      ...new Set(
        [read.payment_intent, charge?.payment_intent, read.charge].filter((id): id is string => typeof id === 'string'),
      ),
    ],
    currency: read.currency,
    amountMinor: read.amount,
    lines: [],
    linkedRefunds: [],
    moreLines: false,
    created: read.created ?? null,
  };
}

function linkedRefunds(note: z.infer<typeof creditNote>): LinkedRefund[] {
  const listed = (note.refunds ?? []).flatMap(({ refund, amount_refunded }) =>
    refund === null
      ? []
      : [
          {
            refundId: refund,
            amountMinor: amount_refunded === null || amount_refunded === undefined ? null : String(amount_refunded),
          },
        ],
  );
  return listed.length > 0 || note.refund === null ? listed : [{ refundId: note.refund, amountMinor: null }];
}
