/** What of an invoice's lines is revenue: everything of a paid one, what was received of one that was written off. */
import type { SyncedLine } from '../stripe/read-invoice-line.ts';
import type { SyncedInvoice } from '../stripe/read-invoice.ts';
import { allocate } from './allocate.ts';

export interface EarnedInvoice {
  readonly lines: readonly SyncedLine[];
  /** Tax, shipping and earlier debts within what was received, in minor units. */
  readonly notRevenueMinor: bigint;
}

type Invoice = Pick<
  SyncedInvoice,
  'earns' | 'status' | 'lines' | 'notRevenueMinor' | 'remainingMinor' | 'givenCreditMinor'
>;

/**
 * What was not received, and what was paid by credit that is counted where it was bought, is left out of every line by its amount, tax
 * and shipping being one more part. An invoice of which nothing is left has no lines.
 */
export function earnedLines(invoice: Invoice): EarnedInvoice {
  const { earns, lines, notRevenueMinor } = invoice;
  if (!earns) return { lines: [], notRevenueMinor };
  const weights = [...lines.map(({ amountMinor }) => amountMinor), notRevenueMinor];
  const gross = weights.reduce((sum, weight) => sum + weight, 0n);
  const left = leftOut(invoice, gross);
  if (left === 0n) return { lines, notRevenueMinor };
  if (left >= gross) return { lines: [], notRevenueMinor: 0n };
  const parts = allocate(left, weights);
  return {
    lines: lines.map((line, index) => ({ ...line, amountMinor: line.amountMinor - (parts[index] ?? 0n) })),
    notRevenueMinor: notRevenueMinor - (parts.at(-1) ?? 0n),
  };
}

function leftOut({ status, remainingMinor, givenCreditMinor }: Invoice, gross: bigint): bigint {
  const writtenOff = status === 'uncollectible' ? (remainingMinor ?? gross) : 0n;
  return (writtenOff > 0n ? writtenOff : 0n) + (givenCreditMinor ?? 0n);
}
