/** Reads a decimal that a caller sent, from its own digits and never through a double (decision 9, D4). */
import { decimalParts } from './decimal-text.ts';
import { sourceOfNumber } from './exact-json.ts';

export const INTEGER_DIGITS_MAX = 12;
export const FRACTION_DIGITS_MAX = 15;

const PLAIN_DECIMAL = /^\d+(?:\.\d+)?$/;

/**
 * A JSON number, or a string in plain notation, from 0, to plain notation without needless zeros; `null` for anything
 * else. Digits are counted in the value: `1.50` has one fraction digit.
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
