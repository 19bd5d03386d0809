/** The time window of a read: `start` inclusive, `end` exclusive (decision 9, D28, D29, D45). */
import { addMonths, monthStart } from './calendar.ts';
import { type ErrorCode, fail } from '../errors.ts';
import { DAY_MS } from './duration.ts';
import { compareInstants, type Instant, instantOf, microsOf, parseIso8601 } from './instant.ts';

const YEARS_MAX = 100;

/**
 * Created by `parseWindow`, with `start` before `end`. Windows derived from it (`splitWindow`, `namedWindow`) may be
 * empty.
 */
export interface Window {
  readonly start: Instant;
  readonly end: Instant;
}

/** Texts as sent; a repeated URL parameter is an array. Anything else is refused. */
export interface WindowInput {
  readonly start?: unknown;
  readonly end?: unknown;
}

export interface WindowRules {
  /** Default for a missing end; a missing start is then the start of the end's month. Without it, both are required. */
  readonly now?: Date | undefined;
  /** A longer window is refused with 400. */
  readonly daysMax?: number | undefined;
  /** See `refuseMonthsOver`. */
  readonly monthsMax?: number | undefined;
  /** Names of both ends in messages; default: the REST parameters. */
  readonly names?: EndNames;
}

interface EndNames {
  readonly start: string;
  readonly end: string;
}

const REST_NAMES: EndNames = { start: 'start_date', end: 'end_date' };

/**
 * Parses every window. Fails with `VALIDATION_ERROR`, or with `UNPROCESSABLE_ENTITY` above `monthsMax`. The message
 * names the parameter.
 */
export function parseWindow(
  input: WindowInput,
  { now, daysMax, monthsMax, names = REST_NAMES }: WindowRules = {},
): Window {
  const isRequired = now === undefined;
  const startInput = parseEnd(names.start, input.start, isRequired);
  const endInput = parseEnd(names.end, input.end, isRequired);
  const end = endInput ?? instantOf(now!);
  const start = startInput ?? startOfLastMonth(end);

  if (start.epochMs < 0) fail('VALIDATION_ERROR', `${names.start} is required if ${names.end} is the start of 1970`);
  if (compareInstants(start, end) >= 0) {
    fail('VALIDATION_ERROR', `${names.start} must be before ${names.end}${endInput ? '' : ' (default: now)'}`);
  }
  const window = { start, end };
  if (daysMax !== undefined) {
    refuseLonger(window, start.epochMs + daysMax * DAY_MS, `${daysMax} days`, 'VALIDATION_ERROR', names);
  }
  refuseLonger(window, monthsAfter(start, YEARS_MAX * 12), `${YEARS_MAX} years`, 'VALIDATION_ERROR', names);
  if (monthsMax !== undefined) refuseMonthsOver(window, monthsMax);
  return window;
}

/** Calendar months, to the microsecond. Fails with `UNPROCESSABLE_ENTITY`. */
export function refuseMonthsOver(window: Window, monthsMax: number): void {
  refuseLonger(window, monthsAfter(window.start, monthsMax), `${monthsMax} months`, 'UNPROCESSABLE_ENTITY');
}

/** The past part of a window; empty if the window is in the future. */
export function windowSoFar(window: Window, now: Date): Window {
  const instant = instantOf(now);
  if (compareInstants(window.end, instant) <= 0) return window;
  return { start: window.start, end: compareInstants(window.start, instant) < 0 ? instant : window.start };
}

function parseEnd(name: string, value: unknown, isRequired: boolean): Instant | null {
  if (value === undefined) return isRequired ? fail('VALIDATION_ERROR', `${name} is required`) : null;
  if (Array.isArray(value)) return fail('VALIDATION_ERROR', `${name} must be given only once`);
  const form = 'an ISO 8601 date or date-time, such as 2026-01-31 or 2026-01-31T12:00:00Z, from the year 1970 to 9999';
  const instant = typeof value === 'string' ? parseIso8601(value) : null;
  return instant ?? fail('VALIDATION_ERROR', `${name} must be ${form}`);
}

/** Start of the UTC month that contains the last instant before `end`. */
function startOfLastMonth(end: Instant): Instant {
  const last = new Date(microsOf(end) % 1000n === 0n ? end.epochMs - 1 : end.epochMs);
  return instantOf(monthStart(last.getUTCFullYear(), last.getUTCMonth()));
}

function monthsAfter(start: Instant, months: number): number {
  return addMonths(new Date(start.epochMs), months).getTime();
}

/** `latestMs`: the latest end for a window whose start is rounded down to whole milliseconds. */
function refuseLonger(
  { start, end }: Window,
  latestMs: number,
  length: string,
  code: ErrorCode,
  names: EndNames = REST_NAMES,
): void {
  if (end.epochMs < latestMs) return;
  const latest = BigInt(latestMs) * 1000n + (microsOf(start) % 1000n);
  if (microsOf(end) > latest)
    fail(code, `The range from ${names.start} to ${names.end} must not be longer than ${length}`);
}
