/** Reads the numbers of bills without losing digits. */
import { sourceOfNumber } from '#kernel/exact-json.ts';
import { type Money, money } from '#kernel/money.ts';
import { BillFormatError } from './bill-line.ts';

export const THOUSAND: Money = money('1000');
export const MILLION: Money = money('1000000');

/** FOCUS numeric format, which providers use too: E notation without `+`, no thousands separators. */
const NUMBER = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE]-?\d{1,3})?$/;
const LENGTH_MAX = 60;

/** Null for an empty value. Throws a {@link BillFormatError} for text that is not a number. */
export function readDecimal(value: unknown, column: string): Money | null {
  const text = typeof value === 'string' ? value.trim() : (sourceOfNumber(value) ?? null);
  if (value === null || value === undefined || text === '' || text === 'null') return null;
  // JSON prints the exponent of a double with a sign.
  const digits = typeof value === 'string' ? text : text?.replace('e+', 'e');
  if (digits === null || digits === undefined || digits.length > LENGTH_MAX || !NUMBER.test(digits))
    throw new BillFormatError(`${column} is not a number: ${JSON.stringify(value).slice(0, 80)}`);
  return money(digits);
}

/** Largest number of fraction digits of the amounts, at least `least`. */
export function fractionDigits(amounts: readonly (Money | null)[], least: number): number {
  return amounts.reduce((most, amount) => Math.max(most, amount?.decimalPlaces() ?? 0), least);
}
