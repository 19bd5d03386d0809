/**
 * The range that every dated read is about: `start_date` inclusive, `end_date` exclusive (decisions.md D28, D29, D45).
 */
import { addMonths, monthStart } from './calendar.ts';
import { type ErrorCode, fail } from '../../schema/errors.ts';
import { compareInstants, type Instant, parseIso8601 } from './instant.ts';

const RANGE_YEARS_MAX = 100;

const DAY_MS = 86_400_000;
const MILLISECOND_LENGTH = '2026-01-31T12:00:00.000Z'.length;

/** ISO 8601 UTC with three or six digits of fraction; compare them by `compareInstants`. */
export interface DateRange {
  readonly start: string;
  readonly end: string;
}

/** A query string's values, percent-decoded; a parameter that is given twice is an array. */
export interface DateRangeQuery {
  readonly start_date?: string | readonly string[] | undefined;
  readonly end_date?: string | readonly string[] | undefined;
}

export interface DateRangeRules {
  /** Whether both dates must be there; else a missing end is now and a missing start its month's first instant. */
  readonly required: boolean;
  readonly now: Date;
  /** A longer range is 400. */
  readonly daysMax?: number;
  /** Counted on the calendar; a longer range is 422. */
  readonly monthsMax?: number;
}

/**
 * Stops with 400 `VALIDATION_ERROR`, or with 422 `UNPROCESSABLE_ENTITY` past `monthsMax`; the message names the
 * parameter.
 */
export function parseDateRange(
  query: DateRangeQuery,
  { required, now, daysMax, monthsMax }: DateRangeRules,
): DateRange {
  const givenStart = parseDate('start_date', query.start_date, required);
  const givenEnd = parseDate('end_date', query.end_date, required);
  const end = givenEnd ?? { iso: now.toISOString(), epochMs: now.getTime() };
  const start = givenStart ?? startOfLastMonth(end);

  if (start.epochMs < 0) fail('VALIDATION_ERROR', 'start_date is required where end_date is the beginning of 1970');
  if (compareInstants(start.iso, end.iso) >= 0) {
    fail(
      'VALIDATION_ERROR',
      `start_date must be before end_date${givenEnd ? '' : ' (which is now when it is left out)'}`,
    );
  }
  if (daysMax !== undefined) {
    refuseLonger(start, end, start.epochMs + daysMax * DAY_MS, `${daysMax} days`, 'VALIDATION_ERROR');
  }
  refuseLonger(start, end, monthsAfter(start, RANGE_YEARS_MAX * 12), `${RANGE_YEARS_MAX} years`, 'VALIDATION_ERROR');
  if (monthsMax !== undefined) {
    refuseLonger(start, end, monthsAfter(start, monthsMax), `${monthsMax} months`, 'UNPROCESSABLE_ENTITY');
  }
  return { start: start.iso, end: end.iso };
}

function parseDate(name: string, value: string | readonly string[] | undefined, required: boolean): Instant | null {
  if (value === undefined) return required ? fail('VALIDATION_ERROR', `${name} is required`) : null;
  if (typeof value !== 'string') return fail('VALIDATION_ERROR', `${name} must be given once only`);
  const form = 'an ISO 8601 date or date-time, such as 2026-01-31 or 2026-01-31T12:00:00Z, from the year 1970 to 9999';
  return parseIso8601(value) ?? fail('VALIDATION_ERROR', `${name} must be ${form}`);
}

/** The first instant of the UTC month that holds the last instant before `end`. */
function startOfLastMonth(end: Instant): Instant {
  const last = new Date(microsOf(end) === 0 ? end.epochMs - 1 : end.epochMs);
  const first = monthStart(last.getUTCFullYear(), last.getUTCMonth());
  return { iso: first.toISOString(), epochMs: first.getTime() };
}

function monthsAfter(start: Instant, months: number): number {
  return addMonths(new Date(start.epochMs), months).getTime();
}

/** `latestMs` is where a range would have to end that starts on `start`'s whole millisecond. */
function refuseLonger(start: Instant, end: Instant, latestMs: number, length: string, code: ErrorCode): void {
  const isLonger = end.epochMs === latestMs ? microsOf(end) > microsOf(start) : end.epochMs > latestMs;
  if (isLonger) fail(code, `The range from start_date to end_date must not be longer than ${length}`);
}

/** Microseconds past the whole millisecond. */
function microsOf({ iso }: Instant): number {
  return iso.length > MILLISECOND_LENGTH ? Number(iso.slice(-4, -1)) : 0;
}
