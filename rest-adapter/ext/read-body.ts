/**
 * Reads the body of an endpoint of `/ext/v1` member by member. Numbers may be strings, so that none is converted to a
 * double.
 */
import { isRawNumber, sourceOfNumber } from '#kernel/exact-json.ts';
import { namedWindow } from '#kernel/time/named-window.ts';
import { parseWindow } from '#kernel/time/window.ts';
import { now } from '#platform/clock.ts';
import { fail } from '#schema/errors.ts';
import { type JsonSchema, text } from '../json-schema.ts';

export type Members = Readonly<Record<string, unknown>>;

/** Fails with `VALIDATION_ERROR` if the value is not an object, or has a member that is not in `names`. */
export function membersOf(value: unknown, what: string, names: readonly string[]): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isRawNumber(value))
    return fail('VALIDATION_ERROR', `${what} must be an object`);
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown !== undefined) fail('VALIDATION_ERROR', `${what} has no member ${unknown}: use ${names.join(', ')}`);
  return value as Members;
}

export function listOf(value: unknown, what: string): readonly unknown[] {
  return Array.isArray(value) ? value : fail('VALIDATION_ERROR', `${what} must be an array`);
}

/** Null if the member is absent. */
export function textOf(members: Members, name: string): string | null {
  const value = members[name] ?? null;
  return value === null || typeof value === 'string' ? value : fail('VALIDATION_ERROR', `${name} must be text`);
}

/** Whole number, 1 or more; null if the member is absent. */
export function countOf(members: Members, name: string, max: number): number | null {
  const value = members[name] ?? null;
  const count = Number(value === null ? Number.NaN : (sourceOfNumber(value) ?? value));
  if (value === null) return null;
  return Number.isInteger(count) && count >= 1 && count <= max
    ? count
    : fail('VALIDATION_ERROR', `${name} must be from 1 to ${max}`);
}

export function requiredTextOf(members: Members, name: string): string {
  return textOf(members, name) ?? fail('VALIDATION_ERROR', `${name} is required`);
}

const DECIMAL = /^-?\d{1,30}(\.\d{1,30})?$/;

/** Returns the number as decimal text, or null if the member is absent. */
export function decimalOf(members: Members, name: string): string | null {
  const value = members[name] ?? null;
  const written = typeof value === 'string' ? value : sourceOfNumber(value);
  if (value === null) return null;
  return written !== null && DECIMAL.test(written)
    ? written
    : fail('VALIDATION_ERROR', `${name} must be a plain decimal, such as "0.25"`);
}

export function requiredDecimalOf(members: Members, name: string): string {
  return decimalOf(members, name) ?? fail('VALIDATION_ERROR', `${name} is required`);
}

/** Schema of a window's members. */
export const WINDOW_MEMBERS: Readonly<Record<string, JsonSchema>> = {
  start_date: text('Inclusive: an ISO 8601 date or date-time. Without both dates: the last 30 days.'),
  end_date: text('Exclusive: an ISO 8601 date or date-time.'),
};

/** Fails with `VALIDATION_ERROR` if only one date is given, or if the dates do not form a window. */
export function windowOf(members: Members): { readonly start: string; readonly end: string } {
  const [start, end] = [textOf(members, 'start_date'), textOf(members, 'end_date')];
  const window =
    start === null && end === null
      ? namedWindow('last-30-days', now()).window
      : parseWindow({ start: start ?? undefined, end: end ?? undefined });
  return { start: window.start.iso, end: window.end.iso };
}
