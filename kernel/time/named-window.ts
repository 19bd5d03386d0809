/**
 * Named windows (contract.md, "Cost data"): their instants at a given time, and the window that each is compared with
 * (decision 9, D26). Rolling windows end now. Calendar windows are UTC months and years; the current ones also end
 * now.
 */
import { addMonths, monthStart } from './calendar.ts';
import { daysEarlier } from './duration.ts';
import { instantOf } from './instant.ts';
import type { Window } from './window.ts';

/** `window` is empty at the instant at which a calendar window begins. */
export interface ComparedWindows {
  readonly window: Window;
  readonly previous: Window;
}

/** The first is the default. */
const WINDOWS = {
  'current-period': monthToDate,
  'last-period': (now) => wholeMonths(now, 1),
  'last-7-days': (now) => rolling(now, 7),
  'last-30-days': (now) => rolling(now, 30),
  'last-90-days': (now) => rolling(now, 90),
  ytd: yearToDate,
  'last-year': (now) => wholeMonths(monthStart(now.getUTCFullYear(), 0), 12),
} as const satisfies Record<string, (now: Date) => ComparedWindows>;

export type WindowName = keyof typeof WINDOWS;

/** The GraphQL enum value of a named window. */
export type WindowEnum<Name extends string = WindowName> = Name extends `${infer Word}-${infer Rest}`
  ? `${Uppercase<Word>}_${WindowEnum<Rest>}`
  : Uppercase<Name>;

export const WINDOW_NAMES = Object.keys(WINDOWS) as WindowName[];

/** The window at this time, and the one that it is compared with. */
export function namedWindow(name: WindowName, now: Date): ComparedWindows {
  return WINDOWS[name](now);
}

export function toWindowEnum<Name extends WindowName>(name: Name): WindowEnum<Name> {
  return name.toUpperCase().replaceAll('-', '_') as WindowEnum<Name>;
}

export function fromWindowEnum(value: WindowEnum): WindowName {
  return value.toLowerCase().replaceAll('_', '-') as WindowName;
}

/** Compared with the previous month up to the same elapsed time, at most to its end. */
function monthToDate(now: Date): ComparedWindows {
  const start = startOfMonth(now);
  const previousStart = addMonths(start, -1);
  const previousEnd = new Date(Math.min(previousStart.getTime() + now.getTime() - start.getTime(), start.getTime()));
  return { window: between(start, now), previous: between(previousStart, previousEnd) };
}

/** Compared with last year up to the same date and time; 29 February is compared with 28 February. */
function yearToDate(now: Date): ComparedWindows {
  const year = now.getUTCFullYear();
  return {
    window: between(monthStart(year, 0), now),
    previous: between(monthStart(year - 1, 0), addMonths(now, -12)),
  };
}

/** The `length` months before the month of `now`, compared with the same number of months before those. */
function wholeMonths(now: Date, length: number): ComparedWindows {
  const end = startOfMonth(now);
  const start = addMonths(end, -length);
  return { window: between(start, end), previous: between(addMonths(start, -length), start) };
}

/** Compared with the equal window just before. */
function rolling(now: Date, days: number): ComparedWindows {
  const start = daysEarlier(now, days);
  return { window: between(start, now), previous: between(daysEarlier(start, days), start) };
}

function startOfMonth(date: Date): Date {
  return monthStart(date.getUTCFullYear(), date.getUTCMonth());
}

function between(start: Date, end: Date): Window {
  return { start: instantOf(start), end: instantOf(end) };
}
