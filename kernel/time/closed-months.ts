/** Months of the books that are closed: all before an instant, which is the first of a month (UTC). */
import { addMonths, monthStart } from './calendar.ts';

const MONTH = /^(\d{4})-(0[1-9]|1[0-2])$/;

/** First instant of a month such as `2026-03`; null for anything else. */
export function startOfMonth(text: string): Date | null {
  const [, year, month] = MONTH.exec(text) ?? [];
  return year === undefined || month === undefined ? null : monthStart(Number(year), Number(month) - 1);
}

/** First instant after a month. */
export function endOfMonth(start: Date): Date {
  return addMonths(start, 1);
}
