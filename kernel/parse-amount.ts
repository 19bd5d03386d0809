/** Parses a decimal from a request by its digits, never through a double (decision 9, D4). */
import { decimalParts } from './decimal-text.ts';
import { sourceOfNumber } from './json/exact-json.ts';

export const INTEGER_DIGITS_MAX = 12;
export const FRACTION_DIGITS_MAX = 15;

const PLAIN_DECIMAL = /^\d+(?:\.\d+)?$/;

/**
 * Converts a JSON number or a string in plain notation, 0 or more, to plain notation without trailing zeros; `null`
 * for anything else. Trailing zeros do not count as digits: `1.50` has one fraction digit.
 */
export function parseAmount(value: unknown): string | null {
  const text = typeof value === 'string' ? (PLAIN_DECIMAL.test(value) ? value : null) : sourceOfNumber(value);
  if (text === null) return null;

  const { negative, digits, magnitude } = decimalParts(text);
  if (digits === '') return '0';
  const fractionDigits = digits.length - 1 - magnitude;
  if (negative || magnitude >= INTEGER_DIGITS_MAX || fractionDigits > FRACTION_DIGITS_MAX) return null;

  if (magnitude < 0) return `0.${'0'.repeat(-magnitude - 1)}${digits}`;
  if (fractionDigits <= 0) return digits.padEnd(magnitude + 1, '0');
  return `${digits.slice(0, magnitude + 1)}.${digits.slice(magnitude + 1)}`;
}
