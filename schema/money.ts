/** Money opens and closes here: the only file that knows the decimal library. Amounts are USD unless said otherwise. */
import { Decimal } from 'decimal.js';

Decimal.set({ precision: 60, toExpNeg: -60, toExpPos: 60, rounding: Decimal.ROUND_HALF_UP });

/** An exact amount. Never a JavaScript number. */
export type Money = Decimal;

export const ZERO: Money = new Decimal(0);

/** Digits after the point that the ledger keeps (`numeric(30,15)`). */
const FRACTION_DIGITS = 15;

/** Opens an amount from its text. Throws on anything that is not a finite decimal. */
export function money(text: string): Money {
  const amount = new Decimal(text);
  if (!amount.isFinite()) throw new RangeError(`Not an amount: ${text}`);
  return amount;
}

/** Closes an amount for the wire: plain notation, no exponent, no trailing zeros, `0` for zero (decisions.md D24). */
export function plain(amount: Money): string {
  return amount.isZero() ? '0' : amount.toFixed();
}

/** The sum of nothing is zero. */
export function sum(amounts: readonly Money[]): Money {
  return amounts.reduce((total, amount) => total.plus(amount), ZERO);
}

/** Half-up at the ledger's fifteen digits. */
export function toLedger(amount: Money): Money {
  return amount.toDecimalPlaces(FRACTION_DIGITS, Decimal.ROUND_HALF_UP);
}

/** An exact count (tokens, units, searches) that may be multiplied with an amount. Never money itself. */
export type Quantity = Decimal;

/** Opens a count from a number or its text. Throws on anything that is not finite. */
export function quantity(value: number | string): Quantity {
  return money(String(value));
}
