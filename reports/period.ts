/** The period of a report: a UTC month or day, up to the time of the request. */
import { addMonths } from '#kernel/time/calendar.ts';
import { daysLater } from '#kernel/time/duration.ts';
import { parseIso8601 } from '#kernel/time/instant.ts';
import { fail } from '#kernel/errors.ts';

export interface Period {
  /** `2026-11` or `2026-11-27`, as used in file names. */
  readonly name: string;
  readonly start: string;
  /** Exclusive; the time of the request if the period is not over. */
  readonly end: string;
  /** UTC days of the period. The last one ends with the period. */
  readonly days: readonly Day[];
}

interface Day {
  /** `2026-11-27` */
  readonly date: string;
  readonly start: string;
  readonly end: string;
}

const FORM = /^\d{4}-\d\d(?:-\d\d)?$/;
const MONTH_LENGTH = '2026-11'.length;
const DATE_LENGTH = '2026-11-27'.length;

/** Fails with `VALIDATION_ERROR`. Default: the current month. */
export function parsePeriod(text: string | undefined, now: Date): Period {
  const name = text ?? now.toISOString().slice(0, MONTH_LENGTH);
  const first = FORM.test(name) ? parseIso8601(name.length === MONTH_LENGTH ? `${name}-01` : name) : null;
  if (first === null) return fail('VALIDATION_ERROR', 'period must be a month, YYYY-MM, or a day, YYYY-MM-DD');
  const start = new Date(first.epochMs);
  if (start >= now) fail('VALIDATION_ERROR', 'period must not begin in the future');
  const end = earlierOf(name.length === MONTH_LENGTH ? addMonths(start, 1) : daysLater(start, 1), now);
  const days: Day[] = [];
  for (let day = start; day < end; day = daysLater(day, 1))
    days.push({
      date: day.toISOString().slice(0, DATE_LENGTH),
      start: day.toISOString(),
      end: earlierOf(daysLater(day, 1), end).toISOString(),
    });
  return { name, start: start.toISOString(), end: end.toISOString(), days };
}

function earlierOf(one: Date, other: Date): Date {
  return one < other ? one : other;
}
