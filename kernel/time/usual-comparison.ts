/** The period that pages, insights and alerts compare a period with. */
import { addMonths } from './calendar.ts';
import { DAY_MS } from './duration.ts';

export interface Days {
  readonly start: Date;
  readonly end: Date;
}

/**
 * A month, or its first days, is compared with the same days of the previous month. Any other period is compared with
 * the preceding period of the same length.
 */
export function usualComparison({ start, end }: Days): Days & { readonly isMonthBefore: boolean } {
  const nextMonth = addMonths(start, 1);
  const isMonthStart = start.getUTCDate() === 1 && start.getTime() % DAY_MS === 0;
  const length = end.getTime() - start.getTime();
  if (!isMonthStart || end > nextMonth || length < DAY_MS)
    return { start: new Date(start.getTime() - length), end: start, isMonthBefore: false };
  const before = addMonths(start, -1);
  const isWhole = end.getTime() === nextMonth.getTime();
  const until = isWhole ? start : new Date(Math.min(before.getTime() + length, start.getTime()));
  return { start: before, end: until, isMonthBefore: true };
}
