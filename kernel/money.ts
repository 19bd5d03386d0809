/**
 * Money is parsed and printed here: the only file that imports the decimal library. Amounts are USD unless stated
 * otherwise.
 */
import { Decimal } from 'decimal.js';

Decimal.set({ precision: 60, toExpNeg: -60, toExpPos: 60, rounding: Decimal.ROUND_HALF_UP });

/** An exact amount. Never a JavaScript number. */
export type Money = Decimal;

export const ZERO: Money = new Decimal(0);
export const ONE: Money = new Decimal(1);

/** Digits after the point that the ledger keeps (`numeric(30,15)`). */
const FRACTION_DIGITS = 15;

/** Parses an amount. Throws if the text is not a finite decimal. */
export function money(text: string): Money {
  const amount = new Decimal(text);
  if (!amount.isFinite()) throw new RangeError(`Not an amount: ${text}`);
  return amount;
}

/** Prints an amount: plain notation, no exponent, no trailing zeros, `0` for zero (decision 9, D24). */
export function plain(value: Money | Amount): string {
  if (typeof value === 'bigint') return plainAmount(value);
  return value.isZero() ? '0' : value.toFixed();
}

/**
 * The nearest double, for charts, statistics and comparisons with estimates. Never store it or return it as an amount.
 */
export function approximate(value: Money | Amount | string): number {
  return Number(typeof value === 'string' ? value : plain(value));
}

/** The sum of nothing is zero. */
export function sum(amounts: readonly Money[]): Money {
  return amounts.reduce((total, amount) => total.plus(amount), ZERO);
}

/** Rounds half-up to the ledger's fifteen fraction digits. */
export function toLedger(amount: Money): Money {
  return amount.toDecimalPlaces(FRACTION_DIGITS, Decimal.ROUND_HALF_UP);
}

/** Rounds half-up, as exchange rates are. */
export function roundToSignificantDigits(value: Money, digits: number): Money {
  return value.toSignificantDigits(digits, Decimal.ROUND_HALF_UP);
}

/**
 * An exact amount at the ledger's precision, in whole units of 10⁻¹⁵ USD, for lists of thousands of ledger amounts
 * that are added, compared and printed. Add with `+`. Parsing, dividing and printing take a tenth of the time that
 * `Money` needs.
 */
export type Amount = bigint;

const PLAIN_DECIMAL = /^-?\d+(?:\.(?=\d)(\d*[1-9])?0*)?$/;

/**
 * Parses an amount printed by PostgreSQL or `plain`. Throws for anything else, and for more digits than the ledger
 * stores.
 */
export function amount(text: string): Amount {
  const match = PLAIN_DECIMAL.exec(text);
  const fraction = match?.[1] ?? '';
  if (match === null || fraction.length > FRACTION_DIGITS) throw new RangeError(`Not an amount of the ledger: ${text}`);
  const point = text.indexOf('.');
  return BigInt((point < 0 ? text : text.slice(0, point)) + fraction.padEnd(FRACTION_DIGITS, '0'));
}

export function absolute(value: Amount): Amount {
  return value < 0n ? -value : value;
}

/** Prints an amount of PostgreSQL, whose fraction has the digits of its column, as `plain` would. */
export function plainText(text: string): string {
  const point = text.indexOf('.');
  if (point < 0) return text;
  let end = text.length;
  while (text.charCodeAt(end - 1) === ZERO_DIGIT) end--;
  if (end - 1 - point > FRACTION_DIGITS) throw new RangeError(`Not an amount of the ledger: ${text}`);
  return text.slice(0, end - 1 === point ? point : end);
}

function plainAmount(units: Amount): string {
  const digits = String(absolute(units)).padStart(FRACTION_DIGITS + 1, '0');
  const point = digits.length - FRACTION_DIGITS;
  let end = digits.length;
  while (end > point && digits.charCodeAt(end - 1) === ZERO_DIGIT) end--;
  const text = end === point ? digits.slice(0, point) : `${digits.slice(0, point)}.${digits.slice(point, end)}`;
  return units < 0n ? `-${text}` : text;
}

const ZERO_DIGIT = 48;

/** An exact count (tokens, units, searches) that may be multiplied by an amount. Never money itself. */
export type Quantity = Decimal;

/** Parses a count from a number or text. Throws if it is not finite. */
export function quantity(value: number | string): Quantity {
  // The library has a fast path for small whole numbers.
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value === 0 ? ZERO : new Decimal(value);
  return money(String(value));
}
