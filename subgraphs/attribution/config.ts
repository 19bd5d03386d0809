/** Constants of attribution. */

/** Consumer name in the priced feed. */
export const FOLLOWER = 'attribution';

/** Channel that announces new feed batches to jobs in the same process. */
export const FEED_CHANNEL = 'priced_batch';

/**
 * Maximum number of organizations whose new batches are requested at once, and of organizations whose facts one
 * transaction writes.
 */
export const WAITING_FEEDS_MAX = 400;
export const PLACES_PER_TRANSACTION = 200;

/** If another follower holds some organizations, a follower takes only half of the waiting ones for this long. */
export const FOLLOWER_MET_SECONDS = 5;

/** Interval between checks of all offsets against costing, and offsets checked per step. */
export const PLACES_CHECK_SECONDS = 30;
export const PLACES_CHECKED_AT_ONCE = 1_000;

/**
 * Maximum number of facts written in one transaction, and bounds for the pairs of a fact and a rolled-up key. The
 * follower adapts the number of pairs so that a step takes about `STEP_MILLISECONDS`, because other organizations wait
 * for it. The minimum takes about 40 ms of CPU: on a busy machine smaller steps take just as long, and their fixed cost
 * is paid more often.
 */
export const FACTS_PER_TRANSACTION = 4_000;
export const PAIRS_PER_TRANSACTION = 20_000;
export const PAIRS_PER_TRANSACTION_MIN = 10_000;
export const PAIRS_PER_TRANSACTION_MAX = 100_000;
export const STEP_MILLISECONDS = 100;

/**
 * If the facts of an organization in one step are spread over more hours than this, they become pending: they are added
 * to the rollups later, so that one update covers many facts of a day (docs/decisions/0089). That happens when
 * `PENDING_FACTS_MAX` are pending, because reads must add them up, or when no fact has arrived for
 * `PENDING_QUIET_SECONDS`.
 */
export const HOURS_AT_ONCE_MAX = 24;
export const PENDING_FACTS_MAX = 100_000;
export const PENDING_QUIET_SECONDS = 2;

/** Pending facts rolled up in one transaction, which the follower also adapts to `STEP_MILLISECONDS`. */
export const ROLL_UP_FACTS_PER_STEP = 5_000;
export const ROLL_UP_FACTS_PER_STEP_MIN = 1_000;
export const ROLL_UP_FACTS_PER_STEP_MAX = 20_000;

/** Maximum number of dimensions in use per organization: every fact is rolled up for each (docs/decisions/0016). */
export const DIMENSIONS_MAX = 50;

/** Facts rolled up per backfill step; a step must commit within a second. */
export const BACKFILL_FACTS_PER_STEP = 5_000;

/**
 * Events in a month that make an end user large: its costs by model are then summed by day. The earlier days are summed
 * in steps of about this many facts.
 */
export const LARGE_END_USER_EVENTS = 3_000;
export const LARGE_END_USER_FACTS_PER_STEP = 20_000;

/** Rollup rows deleted per sweep step. */
export const SWEEP_ROWS_PER_STEP = 5_000;

/**
 * Maximum number of distinct values of a key per UTC day. Beyond it the key is no longer rolled up and reads use the
 * facts.
 */
export const VALUES_PER_DAY_MAX = 10_000;

/** Maximum number of groups in a response by attribution key (set by the contract). */
export const GROUPS_MAX = 1_000;

/**
 * Maximum number of events that one read with a filter or two groupings may add up; reads from rollups are unlimited.
 * An event takes about 1.4 µs on a busy machine, so this many take up to three seconds.
 */
export const SELECTED_FACTS_MAX = 2_000_000;

/**
 * How long a process reuses the explanation of a change, and how many explanations it keeps. It reuses one only while
 * the totals stay the same. Only an erasure changes causes but no totals, and names are read again for each page.
 */
export const REMEMBERED_EXPLANATION_SECONDS = 300;
export const REMEMBERED_EXPLANATIONS_MAX = 1_000;

/** Maximum number of events that explain a change by agent and model. A change with more is explained by model alone. */
export const EXPLAINED_FACTS_MAX = 200_000;

/** Maximum number of charges on a page. */
export const CHARGES_PER_PAGE_MAX = 5_000;

/** Maximum number of rolled-up key pairs per organization: every fact is rolled up for each. */
export const COST_PAIRS_MAX = 10;

/** Maximum number of groups on a page of costs, and of lines of a trend in addition to the line for the rest. */
export const COST_GROUPS_PER_PAGE_MAX = 5_000;
export const TREND_SERIES_MAX = 20;

/** Days of history that a forecast uses. */
export const FORECAST_DAYS = 90;

/** Maximum number of groups compared between two windows: bounds the memory of one request. */
export const COMPARED_GROUPS_MAX = 100_000;

/** Series besides `Other` in a trend by dimension (trend rule 3). */
export const TREND_VALUES_MAX = 5;

/** Maximum number of spans in a session tree. */
export const SESSION_SPANS_MAX = 10_000;

/** Maximum number of end users whose costs are exported for a margin: bounds the memory of one request. */
export const HANDED_OVER_END_USERS_MAX = 200_000;

/** Maximum number of pairs of end user and day in costs by day. They are held in memory, here and in revenue. */
export const HANDED_OVER_DAYS_MAX = 400_000;

/** Differences listed by an audit; further ones are only counted. */
export const DIFFERENCES_SHOWN_MAX = 20;

/**
 * Days compared in one batch, and events on one page of a verification round. Each event is read two or three times.
 */
export const VERIFY_DAYS = 200;
export const VERIFY_EVENTS = 20_000;
/** Days in a batch and events on a page if verification runs in the background. */
export const VERIFY_CHANGED_DAYS = 25;
export const VERIFY_UNHURRIED_EVENTS = 2_000;

/** Interval between checks for changed days, and between rounds that verify everything. */
export const VERIFY_REST_SECONDS = 10;
export const VERIFY_ROUND_HOURS = 24;
/** Maximum number of rounds started per check, if each organization has its own round. */
export const VERIFY_ROUNDS_BEGUN = 10;

/** Maximum number of outcomes in one batch, the same as for events. */
export const OUTCOMES_PER_BATCH_MAX = 100;

/**
 * Interval between searches for expired metadata of outcomes, and the number of statements from which one transaction
 * removes it.
 */
export const METADATA_CHECK_SECONDS = 3_600;
export const REDUCED_VERSIONS_MAX = 1_000;

/** Organizations whose retention is read at once. */
export const RETENTIONS_PER_PAGE = 1_000;

/** Maximum number of events whose outcomes one read looks up. An event takes about 5 µs. */
export const OUTCOME_FACTS_MAX = 1_000_000;

/** Maximum number of outcomes that one read adds up. */
export const OUTCOMES_MAX = 1_000_000;

/** Maximum number of groups, and of single outcomes, on a page. */
export const OUTCOME_GROUPS_PER_PAGE_MAX = 1_000;
export const OUTCOMES_PER_PAGE_MAX = 200;

/** Maximum number of attempts of a task that are listed. */
export const ATTEMPTS_SHOWN_MAX = 100;
