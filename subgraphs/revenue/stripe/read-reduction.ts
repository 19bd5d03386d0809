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
import { CREDIT_NOTE_TAKES, DISPUTE_TAKES, meaningOf, REFUND_TAKES } from './status-words.ts';

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
  /** Of a credit note: what was given back neither by a refund nor as a balance, such as by a dispute. Minor units, with tax. */
  readonly outOfBandMinor: bigint;
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
  /** Whether tax and shipping may be within the amount: the processor has not said. */
  readonly isGross?: boolean;
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
  total: minorUnits.nullish(),
  amount: minorUnits.nullish(),
  total_taxes: z.array(z.object({ amount: minorUnits })).nullish(),
  tax_amounts: z.array(z.object({ amount: minorUnits })).nullish(),
  amount_shipping: minorUnits.nullish(),
  shipping_cost: z.object({ amount_total: minorUnits.nullish(), amount_tax: minorUnits.nullish() }).nullish(),
  out_of_band_amount: minorUnits.nullish(),
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
  reason: z.string().nullish(),
  balance_transactions: z
    .array(z.object({ amount: minorUnits, currency: currencyCode }))
    .nullish()
    .catch(null),
});

/** `more` are the lines that did not fit into the object: all of them, or null while they were not read. */
export function readCreditNote(raw: unknown, more: readonly unknown[] | null = null): SyncedReduction {
  const note = readObject(creditNote, raw, 'a credit note');
  const whole = [...note.lines.data, ...(more ?? [])];
  const moreLines = more === null && note.lines.has_more;
  const lines = [...whole.map(readCreditNoteLine), ...(moreLines ? [] : creditWithoutLine(note, whole))];
  return {
    id: note.id,
    kind: 'credit_note',
    counts: meaningOf(CREDIT_NOTE_TAKES, { ...note, unsaid: true }),
    invoiceId: note.invoice,
    paymentIds: [],
    currency: note.currency,
    amountMinor: lines.reduce((sum, { amountMinor }) => sum + BigInt(amountMinor), 0n),
    outOfBandMinor: note.out_of_band_amount ?? 0n,
    lines,
    linkedRefunds: linkedRefunds(note),
    moreLines,
    created: note.created ?? null,
  };
}

/** What a note takes back beyond its lines. Shipping is no revenue, and so is tax, where the note says how much of it is tax. */
function creditWithoutLine(note: z.infer<typeof creditNote>, rawLines: readonly unknown[]): CreditNoteLine[] {
  const lines = rawLines.map((line) => readObject(creditNoteLine, line, 'a line of a credit note'));
  const shipping = note.shipping_cost?.amount_total ?? note.amount_shipping ?? 0n;
  const taxes = sumOf(note.total_taxes ?? note.tax_amounts ?? []);
  const taxElsewhere = sumOf(lines.flatMap(taxesOf)) + (note.shipping_cost?.amount_tax ?? 0n);
  const tax = taxes > taxElsewhere ? taxes - taxElsewhere : 0n;
  const rest = (note.total ?? note.amount ?? 0n) - lines.reduce((sum, line) => sum + grossOf(line), 0n) - shipping;
  if (rest <= tax) return [];
  return [{ id: note.id, invoiceLineId: null, amountMinor: String(rest - tax), isGross: taxes === 0n }];
}

function grossOf(line: z.infer<typeof creditNoteLine>): bigint {
  return netOf({ ...line, discount_amounts: discountsOf(line) }) + sumOf(taxesOf(line));
}

function taxesOf(line: z.infer<typeof creditNoteLine>): readonly { amount: bigint }[] {
  return line.taxes ?? line.tax_amounts ?? [];
}

function discountsOf(line: z.infer<typeof creditNoteLine>): { amount: bigint }[] {
  return line.discount_amounts ?? (line.discount_amount ? [{ amount: line.discount_amount }] : []);
}

function sumOf(parts: readonly { amount: bigint }[]): bigint {
  return parts.reduce((sum, { amount }) => sum + amount, 0n);
}

export function readCreditNoteLine(raw: unknown): CreditNoteLine {
  const line = readObject(creditNoteLine, raw, 'a line of a credit note');
  return {
    id: line.id,
    invoiceLineId: line.invoice_line_item,
    amountMinor: String(netOf({ ...line, discount_amounts: discountsOf(line) })),
  };
}

/** A refund that is still on its way, or failed, takes nothing back; neither does one of money that was never captured. */
export function readRefund(raw: unknown): SyncedReduction {
  const read = readObject(reversal, raw, 'a refund');
  const { charge } = chargeOf.parse(raw);
  const uncaptured =
    charge?.amount && charge.amount_captured !== null && charge.amount_captured !== undefined
      ? charge.amount - charge.amount_captured
      : 0n;
  const isUncaptured = read.reason === 'expired_uncaptured_charge' || read.amount === uncaptured;
  const takes = meaningOf(REFUND_TAKES, { ...read, unsaid: true });
  return reversalOf(raw, read, 'refund', takes && !isUncaptured);
}

/** Of a lost dispute, what was reinstated after all is not taken back. */
export function readDispute(raw: unknown): SyncedReduction {
  const read = readObject(reversal, raw, 'a dispute');
  const moved = (read.balance_transactions ?? []).filter(({ currency }) => currency === read.currency);
  const withdrawn = moved.length === 0 ? read.amount : -sumOf(moved);
  const amount = withdrawn < 0n ? 0n : withdrawn < read.amount ? withdrawn : read.amount;
  return reversalOf(raw, { ...read, amount }, 'dispute', meaningOf(DISPUTE_TAKES, { ...read, unsaid: false }));
}

const chargeOf = z.object({
  charge: z
    .object({
      invoice: optionalIdOf,
      payment_intent: optionalIdOf,
      amount: minorUnits.nullish(),
      amount_captured: minorUnits.nullish(),
    })
    .nullish()
    .catch(null),
});

function reversalOf(
  raw: unknown,
  read: z.infer<typeof reversal>,
  kind: 'refund' | 'dispute',
  counts: boolean,
): SyncedReduction {
  const { charge } = chargeOf.parse(raw);
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
    outOfBandMinor: 0n,
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
