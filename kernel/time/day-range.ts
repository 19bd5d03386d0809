/** Whole UTC days (`2026-03-01`), from the start of `from` to the start of `until`; null means unbounded. */
import { fail } from '#schema/errors.ts';
import { parseIso8601 } from './instant.ts';

export interface DayRange {
  readonly from: string | null;
  readonly until: string | null;
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Fails with `VALIDATION_ERROR`. */
export function parseDayRange(range: {
  readonly from?: string | null | undefined;
  readonly until?: string | null | undefined;
}): DayRange {
  return { from: parseDay('from', range.from), until: parseDay('until', range.until) };
}

function parseDay(name: string, day: string | null | undefined): string | null {
  return day === undefined || day === null ? null : requireDay(name, day);
}

/** Returns the day. Fails with `VALIDATION_ERROR` if it is none. */
export function requireDay(name: string, day: string): string {
  if (!DAY.test(day) || parseIso8601(day) === null) fail('VALIDATION_ERROR', `${name} must be a day, YYYY-MM-DD`);
  return day;
}
