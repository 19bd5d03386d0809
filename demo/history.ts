/** The days of the imaginary product: its history began 90 days before the organization was made, whenever the demo is run. */
import { DAY_MS } from '../kernel/time/duration.ts';

export const DAYS = 90;

/** Midnight, UTC, of day 0. */
export function historyBegan(organizationMade: Date): Date {
  return new Date((Math.floor(organizationMade.getTime() / DAY_MS) - DAYS + 1) * DAY_MS);
}
