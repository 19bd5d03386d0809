/** The UTC calendar: months have different lengths, and a month's step from the 31st has to end somewhere. */

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** `month` from 1 to 12; 0 for any other. */
export function daysInMonth(year: number, month: number): number {
  if (month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)) return 29;
  return DAYS[month - 1] ?? 0;
}

/** The first instant of a UTC month; `month` from 0 and free to run over either end of the year. */
export function monthStart(year: number, month: number): Date {
  return new Date(Date.UTC(year, month, 1));
}

/**
 * The same time of day so many months later (or earlier), on `day` or, where the month is shorter, on its last day.
 * A series that began on a 31st passes 31 each time, so that it comes back from February.
 */
export function addMonths(from: Date, months: number, day: number = from.getUTCDate()): Date {
  const month = monthStart(from.getUTCFullYear(), from.getUTCMonth() + months);
  const last = daysInMonth(month.getUTCFullYear(), month.getUTCMonth() + 1);
  const timeOfDay = from.getTime() - Date.UTC(from.getUTCFullYear(), from.getUTCMonth(), from.getUTCDate());
  return new Date(month.getTime() + (Math.min(day, last) - 1) * 86_400_000 + timeOfDay);
}
