/** The UTC days of a window. */
import { addDays } from '#kernel/time/utc-day.ts';
import type { Window } from '#kernel/time/window.ts';

export interface Days {
  readonly fromDay: string;
  /** The day after the last day. */
  readonly untilDay: string;
}

/** The days that start within a window, so that adjacent windows add up. */
export function daysOfWindow({ start, end }: Window): Days {
  return { fromDay: firstDayAt(start.iso), untilDay: firstDayAt(end.iso) };
}

/** The days that lie entirely within a window; none if `untilDay` is not after `fromDay`. */
export function wholeDaysOf({ start, end }: Window): Days {
  return { fromDay: firstDayAt(start.iso), untilDay: end.iso.slice(0, 10) };
}

/** The part of a day that lies within a window. */
export interface DayPart {
  readonly day: string;
  /** ISO 8601; `from` is inclusive, `until` exclusive. */
  readonly from: string;
  readonly until: string;
}

/** Returns at most two parts: of the first and of the last day, unless the window contains the day whole. */
export function cutDaysOf({ start, end }: Window): DayPart[] {
  const whole = wholeDaysOf({ start, end });
  const [firstDay, lastDay] = [start.iso.slice(0, 10), end.iso.slice(0, 10)];
  const [startsAtMidnight, endsAtMidnight] = [whole.fromDay === firstDay, firstDayAt(end.iso) === lastDay];
  if (firstDay === lastDay) return [{ day: firstDay, from: start.iso, until: end.iso }];
  return [
    ...(startsAtMidnight ? [] : [{ day: firstDay, from: start.iso, until: midnightOf(addDays(firstDay, 1)) }]),
    ...(endsAtMidnight ? [] : [{ day: lastDay, from: midnightOf(lastDay), until: end.iso }]),
  ];
}

function midnightOf(day: string): string {
  return `${day}T00:00:00Z`;
}

/** Returns at most two parts: of the first and the last day, if the window contains only part of them. */
function firstDayAt(iso: string): string {
  const day = iso.slice(0, 10);
  return /T00:00:00\.0+Z$/.test(iso) ? day : addDays(day, 1);
}
