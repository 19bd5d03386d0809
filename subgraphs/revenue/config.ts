/** Constants of the revenue subgraph. */
import { DAY_SECONDS } from '#kernel/time/duration.ts';

/** Sealing purpose of the processor's API key. */
export const CONNECTION_SEAL = 'revenue.payment-connection';

/** Objects per page of the processor's lists: the processor's maximum. */
export const PAGE_SIZE = 100;

/** Timeout of one request to the processor. */
export const PROCESSOR_TIMEOUT_MILLISECONDS = 20_000;

/** Maximum size of a response of the processor. A page of its lists is a few hundred kilobytes. */
export const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** Lease of a sync step: after a crash, another process takes the step once this has passed. */
export const LEASE_SECONDS = 120;

/** Minimum pause between two scheduled syncs. */
export const SYNC_INTERVAL_SECONDS = 15 * 60;

/** Delay of the first sync after connecting, so that a sync requested right away is the first one. */
export const FIRST_SYNC_DELAY_SECONDS = 30;

/** Interval between full syncs, whatever the events report. */
export const FULL_SYNC_INTERVAL_SECONDS = DAY_SECONDS;

/** An incremental sync starts this far before the newest known object, by the processor's clock. */
export const OVERLAP_SECONDS = DAY_SECONDS;

/** One day less than the 30 days for which Stripe keeps events. */
export const EVENTS_KEPT_SECONDS = 29 * DAY_SECONDS;

/** An account is always read in full if its last full sync took at most this many pages: cheap, and misses nothing. */
export const ALWAYS_FULL_PAGES_MAX = 40;

/** Longest window of a margin, in calendar months (D45). */
export const MARGIN_MONTHS_MAX = 12;

/** Maximum number of customers in a margin. Customers and end users of one request are held in memory. */
export const MARGIN_CUSTOMERS_MAX = 200_000;

/** Maximum number of notes of a sync run. */
export const NOTES_MAX = 20;

/** After a long sync, the next scheduled one waits this many times its duration. */
export const FULL_SYNC_SECONDS_FACTOR = 5;

/** Maximum number of customers per page of a plan simulation. */
export const PLAN_PAGE_MAX = 5_000;
