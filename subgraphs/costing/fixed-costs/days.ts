/** The UTC days of a window. */
import { addDays } from '#kernel/time/utc-day.ts';
import type { Window } from '#kernel/time/window.ts';

export interface Days {
  readonly fromDay: string;
  /** The day after the last. */
  readonly untilDay: string;
}

/** The days that start within a window, so that adjacent windows add up. */
export function daysOfWindow({ start, end }: Window): Days {
  return { fromDay: firstDayAt(start.iso), untilDay: firstDayAt(end.iso) };
}

/** The first day that starts at an instant or later. */
function firstDayAt(iso: string): string {
  const day = iso.slice(0, 10);
  return /T00:00:00\.0+Z$/.test(iso) ? day : addDays(day, 1);
}
