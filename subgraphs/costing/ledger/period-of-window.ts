/**
 * What a named time window of the cost summary means at an instant, and what it is compared with (decisions.md D26).
 */
import { addMonths, monthStart } from '../../../kernel/time/calendar.ts';
import type { TimeWindow } from '../../../kernel/time/time-window.ts';

const DAY_MS = 86_400_000;

/**
 * Half-open UTC periods: starts inclusive, ends exclusive. `start` equals `end` at the very instant a calendar window
 * begins.
 */
export interface SummaryPeriod {
  readonly start: Date;
  readonly end: Date;
  readonly previousStart: Date;
  readonly previousEnd: Date;
}

const PERIODS = {
  'current-period': monthToDate,
  'last-period': (now: Date) => wholeMonths(now, 1),
  'last-7-days': (now: Date) => rolling(now, 7),
  'last-30-days': (now: Date) => rolling(now, 30),
  'last-90-days': (now: Date) => rolling(now, 90),
  ytd: yearToDate,
  'last-year': (now: Date) => wholeMonths(monthStart(now.getUTCFullYear(), 0), 12),
} as const satisfies Record<TimeWindow, (now: Date) => SummaryPeriod>;

export function periodOfWindow(window: TimeWindow, now: Date): SummaryPeriod {
  return PERIODS[window](now);
}

/** Compared with the previous month up to the same elapsed time, at most to its end. */
function monthToDate(now: Date): SummaryPeriod {
  const start = startOfMonth(now);
  const previousStart = addMonths(start, -1);
  const previousEnd = new Date(Math.min(previousStart.getTime() + now.getTime() - start.getTime(), start.getTime()));
  return { start, end: now, previousStart, previousEnd };
}

/** Compared with last year to the same date and time; the 29th of February with the 28th. */
function yearToDate(now: Date): SummaryPeriod {
  const year = now.getUTCFullYear();
  return {
    start: monthStart(year, 0),
    end: now,
    previousStart: monthStart(year - 1, 0),
    previousEnd: addMonths(now, -12),
  };
}

/** The `length` months before the month of `now`, compared with as many before those. */
function wholeMonths(now: Date, length: number): SummaryPeriod {
  const end = startOfMonth(now);
  const start = addMonths(end, -length);
  return { start, end, previousStart: addMonths(start, -length), previousEnd: start };
}

/** Compared with the equal window just before. */
function rolling(now: Date, days: number): SummaryPeriod {
  const start = new Date(now.getTime() - days * DAY_MS);
  return { start, end: now, previousStart: new Date(start.getTime() - days * DAY_MS), previousEnd: start };
}

function startOfMonth(date: Date): Date {
  return monthStart(date.getUTCFullYear(), date.getUTCMonth());
}
