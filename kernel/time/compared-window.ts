/** Computes the window with which a window is compared. */
import { fail } from '../errors.ts';
import { addMonths } from './calendar.ts';
import { compareInstants, type Instant, instantAt, microsOf } from './instant.ts';
import { wholeUnits } from './split-window.ts';
import type { Window } from './window.ts';

/** The period to compare with, as a GraphQL enum value. */
export type ComparedPeriod = 'PREVIOUS' | 'MONTH_AGO' | 'YEAR_AGO';

const MONTHS = { MONTH_AGO: 1, YEAR_AGO: 12 } as const;

/**
 * The window just before (the same length, or as many calendar months), or the same dates a month or a year earlier,
 * clamped to a shorter month's last day. Fails with `VALIDATION_ERROR` if it starts before 1970 or is empty.
 */
export function comparedWindow(window: Window, period: ComparedPeriod): Window {
  const months = period === 'PREVIOUS' ? wholeMonthsOf(window) : MONTHS[period];
  const start = months === 0 ? microsOf(window.start) - lengthOf(window) : monthsEarlier(window.start, months);
  const end = period === 'PREVIOUS' ? microsOf(window.start) : monthsEarlier(window.end, months);
  if (start < 0n) fail('VALIDATION_ERROR', 'The period to compare with starts before 1970');
  if (start >= end)
    fail(
      'VALIDATION_ERROR',
      'The earlier month is too short for this period (for example, it has no 31st): choose another period to compare with',
    );
  return { start: instantAt(start), end: instantAt(end) };
}

/** 0 if the window does not start and end at month boundaries. */
function wholeMonthsOf(window: Window): number {
  const { start, end } = wholeUnits(window, 'month');
  if (compareInstants(start, window.start) !== 0 || compareInstants(end, window.end) !== 0) return 0;
  const [from, until] = [new Date(start.epochMs), new Date(end.epochMs)];
  return (until.getUTCFullYear() - from.getUTCFullYear()) * 12 + until.getUTCMonth() - from.getUTCMonth();
}

function lengthOf({ start, end }: Window): bigint {
  return microsOf(end) - microsOf(start);
}

function monthsEarlier(instant: Instant, months: number): bigint {
  const earlier = addMonths(new Date(instant.epochMs), -months).getTime();
  return BigInt(earlier) * 1000n + (microsOf(instant) % 1000n);
}
