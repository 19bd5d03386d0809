/** Takes a price as a source states it, a double, and gives the decimal that was meant, or refuses it. */
import { money } from '../../../../kernel/money.ts';
import type { Money } from '../../../../kernel/money.ts';

export type CanonicalRate = { readonly rate: Money } | { readonly refused: string };

const SIGNIFICANT_DIGITS = 12;
const FRACTION_DIGITS_MAX = 9;
const RATE_MAX = 1_000;

/**
 * Twelve significant digits undo a double's noise (0.18000000000000002 is 0.18). Refused is what cannot be true or
 * cannot be kept: below 0, above 1,000 USD per million tokens (or per unit), more than nine decimals.
 */
export function canonicalRate(value: number): CanonicalRate {
  if (!Number.isFinite(value)) return { refused: `${value} is not a price` };
  const rate = money(String(value)).toSignificantDigits(SIGNIFICANT_DIGITS);
  if (rate.lt(0)) return { refused: `${value} is below 0` };
  if (rate.gt(RATE_MAX)) return { refused: `${value} is above ${RATE_MAX}` };
  if (rate.decimalPlaces() <= FRACTION_DIGITS_MAX) return { rate };
  return { refused: `${value} has more than ${FRACTION_DIGITS_MAX} decimals` };
}
