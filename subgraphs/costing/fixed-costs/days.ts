/** UTC days as texts, and the days of a window. */
import { DAY_MS } from '#kernel/time/duration.ts';
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

export function dayAfter(day: string): string {
  return new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
}

/** The first day that starts at an instant or later. */
function firstDayAt(iso: string): string {
  const day = iso.slice(0, 10);
  return /T00:00:00\.0+Z$/.test(iso) ? day : dayAfter(day);
}
