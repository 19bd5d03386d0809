/** Determines when a day's costs are read, and read again. */
import { HOUR_MS } from '#kernel/time/duration.ts';

/** Most late events of a day have arrived after this time; later ones cause a revision. */
const SETTLED_AFTER_MS = 2 * HOUR_MS;

/** Minimum time between two reads of a day for which events keep arriving. */
export const REREAD_AFTER_MS = HOUR_MS;

export const DAYS_PER_STEP = 20;

/** The first day that is not settled at an instant. */
export function settledUntil(at: Date): string {
  return new Date(at.getTime() - SETTLED_AFTER_MS).toISOString().slice(0, 10);
}
