/** Revenue of an invoice's lines: the full amount if paid, the received part if written off. */
import type { SyncedLine } from '../stripe/read-invoice-line.ts';
import type { SyncedInvoice } from '../stripe/read-invoice.ts';
import { allocate } from '#kernel/allocate.ts';

export interface EarnedInvoice {
  readonly lines: readonly SyncedLine[];
  /** Tax, shipping and earlier debts within the received amount, in minor units. */
  readonly notRevenueMinor: bigint;
}

type Invoice = Pick<
  SyncedInvoice,
  'earns' | 'status' | 'lines' | 'notRevenueMinor' | 'remainingMinor' | 'givenCreditMinor'
>;

/**
 * Deducts unreceived amounts, and amounts paid with credit that was counted when it was bought. The deduction is
 * spread over the lines by amount, with tax and shipping as one more part. If nothing remains, the result has no
 * lines.
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
