/** The UTC calendar: hours, days, ISO weeks and months. */
import { DAY_MS, HOUR_MS } from './duration.ts';

export type CalendarUnit = 'hour' | 'day' | 'week' | 'month';

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

const HOUR_MICROS = BigInt(HOUR_MS) * 1000n;
const DAY_MICROS = BigInt(DAY_MS) * 1000n;
const LENGTHS = { hour: HOUR_MICROS, day: DAY_MICROS, week: 7n * DAY_MICROS } as const;
/** 1970-01-01 was a Thursday, and ISO weeks begin on Monday: three days before. */
const DAYS_INTO_WEEK = 3n;

/** `month` is 1 to 12; returns 0 for other values. */
export function daysInMonth(year: number, month: number): number {
  if (month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)) return 29;
  return DAYS[month - 1] ?? 0;
}

/** Start of a UTC month. `month` starts at 0 and may be outside the year. */
export function monthStart(year: number, month: number): Date {
  return new Date(Date.UTC(year, month, 1));
}

/** The first day of the latest `month`, from 1 to 12, that has begun. */
export function startOfFiscalYear(now: Date, month: number): Date {
  const year = now.getUTCFullYear();
  return monthStart(now.getUTCMonth() + 1 < month ? year - 1 : year, month - 1);
}

/**
 * The same time of day this many months later (or earlier), on `day` or, if the month is shorter, on its last day. For
 * a series that started on a 31st, pass 31 each time, so that it returns to the 31st after February.
 */
export function addMonths(from: Date, months: number, day: number = from.getUTCDate()): Date {
  const month = monthStart(from.getUTCFullYear(), from.getUTCMonth() + months);
  const last = daysInMonth(month.getUTCFullYear(), month.getUTCMonth() + 1);
  const timeOfDay = from.getTime() - Date.UTC(from.getUTCFullYear(), from.getUTCMonth(), from.getUTCDate());
  return new Date(month.getTime() + (Math.min(day, last) - 1) * DAY_MS + timeOfDay);
}

/** Start of the unit that contains an instant; both in microseconds since 1970, 0 or more. */
export function unitStart(micros: bigint, unit: CalendarUnit): bigint {
  if (unit === 'month') return monthStartMicros(micros, 0);
  const offset = unit === 'week' ? DAYS_INTO_WEEK * DAY_MICROS : 0n;
  return micros - ((micros + offset) % LENGTHS[unit]);
}

/** Start of the unit after the one that starts at `start`. */
export function nextUnitStart(start: bigint, unit: CalendarUnit): bigint {
  return unit === 'month' ? monthStartMicros(start, 1) : start + LENGTHS[unit];
}

function monthStartMicros(micros: bigint, monthsLater: number): bigint {
  const date = new Date(Number(micros / 1000n));
  return BigInt(monthStart(date.getUTCFullYear(), date.getUTCMonth() + monthsLater).getTime()) * 1000n;
}
