/** When a day's costs are read, and read again. */
import { HOUR_MS } from '#kernel/time/duration.ts';

/** Most late events of a day have arrived by then; the others cause a revision. */
const SETTLED_AFTER_MS = 2 * HOUR_MS;

/** A day that events keep arriving for is read at most this often. */
export const REREAD_AFTER_MS = HOUR_MS;

export const DAYS_PER_STEP = 20;

/** The first day that is not settled at an instant. */
export function settledUntil(at: Date): string {
  return new Date(at.getTime() - SETTLED_AFTER_MS).toISOString().slice(0, 10);
}
