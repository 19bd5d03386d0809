/** The constants of revenue: one place for each choice of our own. */
import { DAY_SECONDS } from '../../kernel/time/duration.ts';

/** Purpose of the key that seals the processor's key. */
export const CONNECTION_SEAL = 'revenue.payment-connection';

/** Objects on a page of the processor's lists: the most it gives. */
export const PAGE_SIZE = 100;

/** How long the processor may take for one answer. */
export const PROCESSOR_TIMEOUT_MILLISECONDS = 20_000;

/** Of one answer of the processor: a page of its lists is some hundred kilobytes. */
export const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** A sync's step belongs to one process for this long; a crash frees it then. */
export const LEASE_SECONDS = 120;

/** Between the end of a scheduled sync and the next one. */
export const SYNC_INTERVAL_SECONDS = 15 * 60;

/** After connecting: anyone who asks for a sync at once is answered by the very first one. */
export const FIRST_SYNC_DELAY_SECONDS = 30;

/** The lists are read whole again after this long, whatever the events say. */
export const FULL_SYNC_INTERVAL_SECONDS = DAY_SECONDS;

/** New objects are looked for this far behind the newest known one, in the processor's time. */
export const OVERLAP_SECONDS = DAY_SECONDS;

/** Stripe keeps events for 30 days. */
export const EVENTS_KEPT_SECONDS = 29 * DAY_SECONDS;

/** An account whose lists took no more pages than this the last time is always read whole: that is cheap, and misses nothing. */
export const ALWAYS_FULL_PAGES_MAX = 40;

/** How long a margin may be asked for, counted on the calendar (D45). */
export const MARGIN_MONTHS_MAX = 12;

/** Customers that a margin takes: with the end users, what one request may hold in memory. */
export const MARGIN_CUSTOMERS_MAX = 200_000;

/** Notes that one run keeps. */
export const NOTES_MAX = 20;

/** A long sync rests this many times its own length before the next scheduled one. */
export const FULL_SYNC_SECONDS_FACTOR = 5;

/** Customers on one page of a plan's simulation. */
export const PLAN_PAGE_MAX = 5_000;
