/** The days of the imaginary product: its history began 90 days before the organization was made, whenever the demo is run. */
export const DAYS = 90;
export const DAY_MILLISECONDS = 86_400_000;

/** Midnight, UTC, of day 0. */
export function historyBegan(organizationMade: Date): Date {
  return new Date((Math.floor(organizationMade.getTime() / DAY_MILLISECONDS) - DAYS + 1) * DAY_MILLISECONDS);
}
