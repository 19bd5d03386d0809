/**
 * Parses credit notes, refunds and disputes, which take revenue back (decision 9, D41). Throws an `UnreadableObject`
 * for anything else.
 */
import { z } from 'zod';
import { disputeTransactions, readDisputedAmount } from './read-disputed-amount.ts';
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
import { balanceTransactionOf, type Settlement, settlementOf } from './read-settlement.ts';
import { CREDIT_NOTE_TAKES, DISPUTE_TAKES, meaningOf, REFUND_TAKES } from './status-words.ts';

export interface SyncedReduction {
  readonly id: string;
  readonly kind: 'credit_note' | 'refund' | 'dispute';
  /** True if it takes revenue back: a credit note is issued, a refund succeeded, a dispute lost. */
  readonly counts: boolean;
  /** Invoice of a credit note. For refunds and disputes, set only by API versions before 2025-03-31. */
  readonly invoiceId: string | null;
  /** Payment intent and charge of a refund or dispute. */
  readonly paymentIds: readonly string[];
  readonly currency: string;
  /** Positive minor units, including tax for refunds and disputes, excluding it for credit notes. */
  readonly amountMinor: bigint;
  /**
   * Part of a credit note returned neither by a refund nor as a balance, e.g. by a dispute. Minor units, including
   * tax.
   */
  readonly outOfBandMinor: bigint;
  readonly lines: readonly CreditNoteLine[];
  readonly linkedRefunds: readonly LinkedRefund[];
  /** Total of a credit note in minor units, including tax and shipping; null for everything else. */
  readonly grossMinor: bigint | null;
  /** True if `lines` is incomplete. */
  readonly moreLines: boolean;
  /** How the processor converted a refund or dispute; null if it did not, or has not yet. */
  readonly settlement: Settlement | null;
  readonly created: number | null;
}

export interface CreditNoteLine {
  readonly id: string;
  /** Null for a credit without a line: it is allocated over all lines. */
  readonly invoiceLineId: string | null;
  /** Positive minor units as text, after discounts and without tax. */
  readonly amountMinor: string;
  /** True if the amount may include tax and shipping, because the processor does not separate them. */
  readonly isGross?: boolean;
}

interface LinkedRefund {
  readonly refundId: string;
  /** Minor units as text; null for the whole refund. */
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
  balance_transactions: disputeTransactions,
});

/** `more`: all lines that did not fit into the object, or null if they were not fetched. */
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
    grossMinor: note.total ?? note.amount ?? null,
    moreLines,
    settlement: null,
    created: note.created ?? null,
  };
}

/**
 * The part of a credit note that exceeds its lines. Shipping is excluded, as is tax if the note states it: neither is
 * revenue.
 */
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

/** A pending or failed refund takes nothing back, nor does a refund of an uncaptured amount. */
export function readRefund(raw: unknown): SyncedReduction {
  const read = readObject(reversal, raw, 'a refund');
  const { charge } = chargeOf.parse(raw);
  const uncaptured =
    charge?.amount && charge.amount_captured !== null && charge.amount_captured !== undefined
      ? charge.amount - charge.amount_captured
      : 0n;
  const isUncaptured = read.reason === 'expired_uncaptured_charge' || read.amount === uncaptured;
  const takes = meaningOf(REFUND_TAKES, { ...read, unsaid: true });
  const settlement = settlementOf(balanceTransactionOf.parse(raw).balance_transaction);
  return { ...reversalOf(raw, read, 'refund', takes && !isUncaptured), settlement };
}

/** Excludes the reinstated part of a lost dispute. */
export function readDispute(raw: unknown): SyncedReduction {
  const read = readObject(reversal, raw, 'a dispute');
  const { takenMinor, settlement } = readDisputedAmount(read, read.balance_transactions);
  const counts = meaningOf(DISPUTE_TAKES, { ...read, unsaid: false });
  return { ...reversalOf(raw, { ...read, amount: takenMinor }, 'dispute', counts), settlement };
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
    grossMinor: null,
    moreLines: false,
    settlement: null,
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
