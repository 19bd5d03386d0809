/** Constants of attribution. */

/** Name of the follower at the priced feed. */
export const FOLLOWER = 'attribution';

/** Name under which new batches of the feed are announced to jobs in the same process. */
export const FEED_CHANNEL = 'priced_batch';

/** Organizations with new batches that are looked for at once, and of which one transaction takes what it bears. */
export const WAITING_FEEDS_MAX = 400;
export const PLACES_PER_TRANSACTION = 200;

/** So long a follower that met another one leaves it half of the organizations that wait. */
export const FOLLOWER_MET_SECONDS = 5;

/** How often all places are compared with what costing knows of them, and how many at once. */
export const PLACES_CHECK_SECONDS = 30;
export const PLACES_CHECKED_AT_ONCE = 1_000;

/** Facts applied in one transaction, and pairs of a fact and a key of its organization that takes facts. */
export const FACTS_PER_TRANSACTION = 1_000;
export const PAIRS_PER_TRANSACTION = 20_000;

/** Dimensions that an organization may have in use: every fact is rolled up for each (docs/decisions/0016). */
export const DIMENSIONS_MAX = 50;

/** Facts that one step of a backfill rolls up; it must commit within a second. */
export const BACKFILL_FACTS_PER_STEP = 5_000;

/** Rollup rows that one step of a sweep deletes. */
export const SWEEP_ROWS_PER_STEP = 5_000;

/** Distinct values of a key in one UTC day above which the key is not rolled up and reads use the facts. */
export const VALUES_PER_DAY_MAX = 10_000;

/** Groups in an answer by attribution key (the contract's cap). */
export const GROUPS_MAX = 1_000;

/**
 * Single events that one filtered or twice grouped read adds up; what rollups answer has no such bound. Some 1.4 µs each on a busy machine:
 * a read of so many takes up to three seconds.
 */
export const SELECTED_FACTS_MAX = 2_000_000;

/** Pairs of keys that an organization may have rolled up: every fact is rolled up for each. */
export const COST_PAIRS_MAX = 10;

/** Groups on a page of costs, and lines of a trend besides the rest. */
export const COST_GROUPS_PER_PAGE_MAX = 5_000;
export const TREND_SERIES_MAX = 20;

/** How far a forecast looks back. */
export const FORECAST_DAYS = 90;

/** Groups of costs that are compared with those of another window: what one request may hold in memory. */
export const COMPARED_GROUPS_MAX = 100_000;

/** Series besides `Other` in a trend by dimension (trend rule 3). */
export const TREND_VALUES_MAX = 5;

/** Spans in a session tree. */
export const SESSION_SPANS_MAX = 10_000;

/** End users whose costs are handed over at once, for a margin: what one request may hold in memory. */
export const HANDED_OVER_END_USERS_MAX = 200_000;

/** End users on one page. */
export const END_USERS_PER_PAGE_MAX = 1_000;

/** Lines in an audit's list of differences; the rest is counted. */
export const DIFFERENCES_SHOWN_MAX = 20;

/** Days that are compared at once, and events on one page of a round over the books: each is read two or three times. */
export const VERIFY_DAYS = 200;
export const VERIFY_EVENTS = 20_000;
/** The same where no one waits for it. */
export const VERIFY_CHANGED_DAYS = 25;
export const VERIFY_UNHURRIED_EVENTS = 2_000;

/** How often changed days are looked for, and how often everything is verified. */
export const VERIFY_REST_SECONDS = 10;
export const VERIFY_ROUND_HOURS = 24;
/** Rounds of single organizations that begin at a time, where each has its own. */
export const VERIFY_ROUNDS_BEGUN = 10;
