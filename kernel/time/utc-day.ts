/** UTC days as texts, such as `2026-11-27`. */
import { fail } from '../errors.ts';
import { DAY_MS } from './duration.ts';
import { parseIso8601 } from './instant.ts';

const DAY = /^\d{4}-\d\d-\d\d$/;

/** True for an existing day in the form `YYYY-MM-DD`. */
export function isDay(text: string): boolean {
  return DAY.test(text) && parseIso8601(text) !== null;
}

/** Returns the day. Fails with `VALIDATION_ERROR` for any other text. */
export function requireDay(name: string, text: string): string {
  return isDay(text) ? text : fail('VALIDATION_ERROR', `${name} must be a UTC day, such as 2026-11-27`);
}

/** The day that contains an instant, given in milliseconds. */
export function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

/** Earlier for a negative number. */
export function addDays(day: string, days: number): string {
  return dayOf(Date.parse(day) + days * DAY_MS);
}
