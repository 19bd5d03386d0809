/**
 * Splits a window at the boundaries of hours, days or months, so that a read sums few rows and stays exact: counters
 * for whole units, individual events for the partial units at both ends.
 */
import { type CalendarUnit, nextUnitStart, unitStart } from './calendar.ts';
import { instantAt, microsOf } from './instant.ts';
import type { Window } from './window.ts';

/**
 * Six instants in order, as text. They delimit a partial fine unit, whole fine units, whole coarse units, whole fine
 * units, and a partial fine unit. Adjacent instants are equal if the part between them is empty.
 */
export type SplitWindow = readonly [string, string, string, string, string, string];

export function splitWindow(window: Window, fine: CalendarUnit, coarse: CalendarUnit): SplitWindow {
  const inner = wholeUnits(window, fine);
  const core = wholeUnits(inner, coarse);
  return [window.start.iso, inner.start.iso, core.start.iso, core.end.iso, inner.end.iso, window.end.iso];
}

/** Like `splitWindow`, with whole hours only. */
export function splitHours(window: Window): SplitWindow {
  const { start, end } = wholeUnits(window, 'hour');
  return [window.start.iso, start.iso, end.iso, end.iso, end.iso, window.end.iso];
}

/** The instants of a window, and of the whole hours in it, as text. */
export function inWholeHours(window: Window): {
  readonly start: string;
  readonly end: string;
  readonly firstHour: string;
  readonly hoursEnd: string;
} {
  const { start, end } = wholeUnits(window, 'hour');
  return { start: window.start.iso, end: window.end.iso, firstHour: start.iso, hoursEnd: end.iso };
}

/**
 * The whole units of a window. The partial ones are `[window.start, start)` and `[end, window.end)`; all three may be
 * empty. A window within one unit is all partial: both ends are then the window's end.
 */
export function wholeUnits(window: Window, unit: CalendarUnit): Window {
  const windowEnd = microsOf(window.end);
  const start = least(firstStart(microsOf(window.start), unit), windowEnd);
  const end = most(unitStart(windowEnd, unit), start);
  return { start: instantAt(start), end: instantAt(end) };
}

/** Start of the first unit that begins at or after the instant. */
function firstStart(micros: bigint, unit: CalendarUnit): bigint {
  const start = unitStart(micros, unit);
  return start === micros ? micros : nextUnitStart(start, unit);
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function most(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
