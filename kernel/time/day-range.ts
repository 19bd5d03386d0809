/** Whole UTC days (`2026-03-01`), from the start of `from` to the start of `until`; null means unbounded. */
import { requireDay } from './utc-day.ts';

export interface DayRange {
  readonly from: string | null;
  readonly until: string | null;
}

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
