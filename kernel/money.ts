/**
 * Exact numbers of two kinds: `Money` (amounts, prices and rates; USD unless stated otherwise) and `Quantity` (counts,
 * shares and factors). The compiler tells them apart: amounts are only added to amounts and multiplied only by
 * quantities. This is the only file that imports the decimal library, and the only one that casts between its type and
 * ours.
 */
import { Decimal } from 'decimal.js';

Decimal.set({ precision: 60, toExpNeg: -60, toExpPos: 60, rounding: Decimal.ROUND_HALF_UP });

/** Exists only as a type; at run time every exact number is a `Decimal`. */
declare const kind: unique symbol;

/**
 * The operations of the library that both kinds have. `Other` is what can be added and compared. A function for both
 * kinds is generic over `T extends Exact<T | 0>`.
 */
export interface Exact<Other> {
  plus(other: Other): this;
  minus(other: Other): this;
  negated(): this;
  abs(): this;
  toDecimalPlaces(digits: number, rounding?: Decimal.Rounding): this;
  toSignificantDigits(digits: number, rounding?: Decimal.Rounding): this;
  comparedTo(other: Other): number;
  eq(other: Other): boolean;
  gt(other: Other): boolean;
  gte(other: Other): boolean;
  lt(other: Other): boolean;
  lte(other: Other): boolean;
  isZero(): boolean;
  isNegative(): boolean;
  isPositive(): boolean;
  decimalPlaces(): number;
  toFixed(digits?: number, rounding?: Decimal.Rounding): string;
}

/** An exact amount, price or rate. Never a JavaScript number, except 0, which is the same in every unit. */
export interface Money extends Exact<Money | 0> {
  readonly [kind]: 'money';
  times(factor: Quantity | number): Money;
  div(divisor: Quantity | number): Money;
  div(divisor: Money): Quantity;
}

/** An exact count (tokens, units, searches), percentage, share, factor or exchange rate. Never money. */
export interface Quantity extends Exact<Quantity | number> {
  readonly [kind]: 'quantity';
  times(factor: Quantity | number): Quantity;
  times(price: Money): Money;
  div(divisor: Quantity | number): Quantity;
}

export const ZERO = new Decimal(0) as unknown as Money;
export const NO_QUANTITY = new Decimal(0) as unknown as Quantity;
export const ONE = new Decimal(1) as unknown as Quantity;

/** Digits after the point that the ledger keeps (`numeric(30,15)`). */
const FRACTION_DIGITS = 15;

/** Parses an amount. Throws if the text is not a finite decimal. */
export function money(text: string): Money {
  return decimal(text) as unknown as Money;
}

/** Prints an exact number: plain notation, no exponent, no trailing zeros, `0` for zero (decision 9, D24). */
export function plain(value: Exact<never> | Amount): string {
  if (typeof value === 'bigint') return plainAmount(value);
  return value.isZero() ? '0' : value.toFixed();
}

/**
 * The nearest double, for charts, statistics and comparisons with estimates. Never store it or return it as an amount.
 */
export function approximate(value: Exact<never> | Amount | string): number {
  return Number(typeof value === 'string' ? value : plain(value));
}

/** The sum of an empty list is zero. */
export function sum(amounts: readonly Money[]): Money;
export function sum(quantities: readonly Quantity[]): Quantity;
export function sum(values: readonly Money[] | readonly Quantity[]): Money | Quantity {
  return (values as readonly Money[]).reduce((total, value) => total.plus(value), ZERO);
}

/** `amount × part ÷ whole`. The division comes last, so nothing is rounded before it. */
export function prorate(amount: Money, part: Money, whole: Money): Money {
  return amount.times(part as unknown as Quantity).div(whole as unknown as Quantity);
}

/** Rounds half-up to the ledger's fifteen fraction digits. */
export function toLedger<T extends Exact<never>>(value: T): T {
  return value.toDecimalPlaces(FRACTION_DIGITS, Decimal.ROUND_HALF_UP);
}

/** Rounds half-up, as exchange rates are. */
export function roundToSignificantDigits(value: Quantity, digits: number): Quantity {
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

/** Prints an amount as `plain` would, from PostgreSQL's text, whose fraction has as many digits as its column. */
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

/** Parses a count from a number or text. Throws if it is not finite. */
export function quantity(value: number | string): Quantity {
  // The library has a fast path for small whole numbers.
  if (typeof value === 'number' && Number.isSafeInteger(value))
    return value === 0 ? NO_QUANTITY : (new Decimal(value) as unknown as Quantity);
  return decimal(String(value)) as unknown as Quantity;
}

function decimal(text: string): Decimal {
  const value = new Decimal(text);
  if (!value.isFinite()) throw new RangeError(`Not an amount: ${text}`);
  return value;
}
