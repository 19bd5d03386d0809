/** Formats days and times for pages and messages, in UTC. */

const english = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });
const DATE = english({ day: 'numeric', month: 'short', year: 'numeric' });
const DAY = english({ day: 'numeric', month: 'short' });
const MONTH = english({ month: 'long', year: 'numeric' });
const TIME = english({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** `January` to `December`. */
export const MONTH_NAMES: readonly string[] = Array.from({ length: 12 }, (_, month) =>
  english({ month: 'long' }).format(Date.UTC(2000, month)),
);

/** `21 Nov 2026`. */
export function dateInWords(instant: Date): string {
  return DATE.format(instant);
}

/** `21 Nov`. */
export function dayInWords(instant: Date): string {
  return DAY.format(instant);
}

/** `November 2026`. */
export function monthInWords(instant: Date): string {
  return MONTH.format(instant);
}

/** `10:04`. */
export function timeInWords(instant: Date): string {
  return TIME.format(instant);
}
