/**
 * The days of the imaginary product. Its history begins 90 days before the organization was created, regardless of
 * when the demo runs.
 */
import { DAY_MS } from '#kernel/time/duration.ts';

export const DAYS = 90;

/** Share of the demo's events that sample data has: enough to be useful, and filled within seconds. */
export const SAMPLE_SHARE = 0.4;

/** Midnight, UTC, of day 0. */
export function historyBegan(organizationMade: Date): Date {
  return new Date((Math.floor(organizationMade.getTime() / DAY_MS) - DAYS + 1) * DAY_MS);
}

export interface HistoryDay {
  /** UTC, YYYY-MM-DD. */
  readonly date: string;
  /** Days after the first one. */
  readonly day: number;
}

export function historyDay(began: Date, day: number): HistoryDay {
  return { date: new Date(began.getTime() + day * DAY_MS).toISOString().slice(0, 10), day };
}
