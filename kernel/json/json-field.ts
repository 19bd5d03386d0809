/**
 * Reads one field of a sent object, or fails with a message that names it (decision 9, D4). Null and absent are
 * equivalent.
 */
import { fail } from '../errors.ts';
import { hasTextLength, TEXT_CHARACTERS_MAX, textError } from '../bounded-text.ts';
import { isRawNumber } from './exact-json.ts';
import { type Fields, isObject } from './json-object.ts';
import { FRACTION_DIGITS_MAX, INTEGER_DIGITS_MAX, parseAmount } from '../parse-amount.ts';
import { type Instant, parseRfc3339 } from '../time/instant.ts';

const EARLIEST_MS = Date.UTC(2000, 0, 1);

/** True for a value of `parseExactJson` that is an object. */
export function isFields(value: unknown): value is Fields {
  return isObject(value) && !isRawNumber(value);
}

/** A string of 1 to 255 characters (Unicode code points, as counted by PostgreSQL), kept as sent. */
export function optionalText(fields: Fields, name: string, label: string = name): string | null {
  const value = fields[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' || !hasTextLength(value)) {
    fail('VALIDATION_ERROR', `${label} must be a string of 1 to ${TEXT_CHARACTERS_MAX} characters`);
  }
  const error = textError(value);
  return error === null ? value : fail('VALIDATION_ERROR', `${label} must not contain ${error}`);
}

/** Like `optionalText`; fails if the field is missing. */
export function requiredText(fields: Fields, name: string, label: string = name): string {
  return optionalText(fields, name, label) ?? fail('VALIDATION_ERROR', `${label} is required`);
}

/** A whole number of tokens from 0 to 2^53-1. */
export function optionalCount(fields: Fields, name: string): number | null {
  const value = fields[name];
  if (value === undefined || value === null) return null;
  if (isCount(value)) return value + 0;
  return fail('VALIDATION_ERROR', `${name} must be an integer from 0 to ${Number.MAX_SAFE_INTEGER}`);
}

/** Like `optionalCount`; fails if the field is missing. */
export function requiredCount(fields: Fields, name: string): number {
  return optionalCount(fields, name) ?? fail('VALIDATION_ERROR', `${name} is required`);
}

/** RFC 3339, from the year 2000 to 9999. */
export function requiredTime(fields: Fields, name: string): Instant {
  const value = fields[name];
  if (value === undefined || value === null) fail('VALIDATION_ERROR', `${name} is required`);
  const instant = typeof value === 'string' ? parseRfc3339(value) : null;
  if (instant !== null && instant.epochMs >= EARLIEST_MS) return instant;
  const form = 'an RFC 3339 date-time with an offset or Z, such as 2026-01-31T12:00:00Z, from the year 2000 to 9999';
  return fail('VALIDATION_ERROR', `${name} must be ${form}`);
}

/** A decimal, 0 or more, as plain text. */
export function optionalAmount(fields: Fields, name: string): string | null {
  const value = fields[name];
  if (value === undefined || value === null) return null;
  const bounds = `at most ${INTEGER_DIGITS_MAX} integer and ${FRACTION_DIGITS_MAX} fraction digits`;
  return (
    parseAmount(value) ??
    fail(
      'VALIDATION_ERROR',
      `${name} must be a number or a decimal string in plain notation, 0 or more, with ${bounds}`,
    )
  );
}

/** True for a whole number from 0 to 2^53-1. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
