/** Parses invoice lines: amounts after discounts, without tax (decision 9, D41). */
import { z } from 'zod';
import { currencyCode, epochSeconds, minorUnits, objectId, readObject } from './read-object.ts';
import { UnreadableObject } from './processor-error.ts';

export interface SyncedLine {
  readonly id: string;
  /** Position on the invoice, starting at 0. */
  readonly position: number;
  /** Minor units, negative for a proration's credit. */
  readonly amountMinor: bigint;
  readonly currency: string;
  /** Seconds since 1970. */
  readonly periodStart: number;
  /** Exclusive; never before the start. */
  readonly periodEnd: number;
}

const amounts = z.array(z.object({ amount: minorUnits })).nullish();

/** Discounts and taxes, shared with lines of credit notes. Older API versions have `tax_amounts[].inclusive`. */
export const deductions = {
  amount: minorUnits,
  discount_amounts: amounts,
  pretax_credit_amounts: z.array(z.object({ amount: minorUnits, type: z.string().nullish() })).nullish(),
  taxes: z.array(z.object({ amount: minorUnits, tax_behavior: z.string().nullish() })).nullish(),
  tax_amounts: z.array(z.object({ amount: minorUnits, inclusive: z.boolean().nullish() })).nullish(),
};

const shape = z.object({
  ...deductions,
  id: objectId,
  currency: currencyCode,
  period: z.object({ start: epochSeconds, end: epochSeconds }),
});

/** Requires the invoice's `currency`, since reversals are allocated over all lines. */
export function readInvoiceLine(raw: unknown, position: number, currency: string): SyncedLine {
  const line = readObject(shape, raw, 'a line of an invoice');
  if (line.currency !== currency) {
    throw new UnreadableObject(
      `Line ${line.id.slice(0, 100)} is in ${line.currency.toUpperCase()}, its invoice in ${currency.toUpperCase()}`,
    );
  }
  return {
    id: line.id,
    position,
    amountMinor: netOf(line),
    currency: line.currency,
    periodStart: line.period.start,
    periodEnd: Math.max(line.period.start, line.period.end),
  };
}

/**
 * `amount` is before discounts and includes inclusive tax. Item and invoice discounts are in `discount_amounts` and
 * again among the pretax credits; spent credit grants are only among the latter.
 */
export function netOf(line: z.infer<z.ZodObject<typeof deductions>>): bigint {
  const discounts = total(line.discount_amounts ?? []);
  const grants = total((line.pretax_credit_amounts ?? []).filter(({ type }) => type === 'credit_balance_transaction'));
  const inclusive = line.taxes
    ? total(line.taxes.filter(({ tax_behavior }) => tax_behavior === 'inclusive'))
    : total((line.tax_amounts ?? []).filter(({ inclusive: isInclusive }) => isInclusive === true));
  return line.amount - discounts - grants - inclusive;
}

function total(parts: readonly { amount: bigint }[]): bigint {
  return parts.reduce((sum, { amount }) => sum + amount, 0n);
}
