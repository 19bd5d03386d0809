/** Reads the numbers of bills without losing digits. */
import { sourceOfNumber } from '#kernel/json/exact-json.ts';
import { type Exact, money, type Money, quantity, type Quantity } from '#kernel/money.ts';
import { BillFormatError } from './bill-line.ts';

export const THOUSAND: Quantity = quantity(1000);
export const MILLION: Quantity = quantity(1_000_000);

/**
 * Digits, or E notation, which most programs write for small and large numbers: `1.2E-05`, `1e+06`. FOCUS has no `+`
 * in its files, but spreadsheets and databases write one.
 */
const NUMBER = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/;
const LENGTH_MAX = 60;
/** Sums of numbers within these limits are exact. Noise of doubles such as `5.684341886080802E-17` has 32 digits. */
const FRACTION_DIGITS_MAX = 40;
const AMOUNT_LIMIT: Money = money('1e15');
const QUANTITY_LIMIT: Quantity = quantity('1e15');

/** Spellings of an unknown value: FOCUS, SQL, and files of Snowflake. */
const NULLS = new Set(['', 'null', 'NULL', '\\N']);

/** True for a spelling of an unknown value. */
export function isNullText(text: string): boolean {
  return NULLS.has(text);
}

/** Null for an unknown value. Throws a {@link BillFormatError} for text that is not a number. */
export function readAmount(value: unknown, column: string): Money | null {
  return readDecimal(value, column, money, AMOUNT_LIMIT);
}

/** Like {@link readAmount}. */
export function readQuantity(value: unknown, column: string): Quantity | null {
  return readDecimal(value, column, quantity, QUANTITY_LIMIT);
}

function readDecimal<T extends Exact<T | 0>>(
  value: unknown,
  column: string,
  parse: (text: string) => T,
  limit: T,
): T | null {
  const text = typeof value === 'string' ? value.trim() : sourceOfNumber(value);
  if (value === null || value === undefined || (text !== null && isNullText(text))) return null;
  if (text === null || text.length > LENGTH_MAX || !NUMBER.test(text))
    throw new BillFormatError(
      `${column} is not a number: ${JSON.stringify(value).slice(0, 80)}${text?.includes(',') === true ? '. Use a decimal point and no thousands separators' : ''}`,
    );
  const number = parse(text);
  if (number.abs().gte(limit) || number.decimalPlaces() > FRACTION_DIGITS_MAX)
    throw new BillFormatError(
      `${column} is out of range: ${JSON.stringify(text)}. Numbers are below 1e15, with at most ${FRACTION_DIGITS_MAX} decimals`,
    );
  return number;
}

/** Largest number of fraction digits of the amounts, at least `least`. */
export function fractionDigits(amounts: readonly (Money | null)[], least: number): number {
  return amounts.reduce((most, amount) => Math.max(most, amount?.decimalPlaces() ?? 0), least);
}
