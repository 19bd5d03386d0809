/** Constants of this subgraph. A constant that settles an open point of the contract names the decision. */

/** Owner of standard rows, which apply to all organizations. */
export const GLOBAL_TENANT = '00000000-0000-0000-0000-000000000000';

/** contract.md, "Limits". */
export const BATCH_EVENTS_MAX = 100;

/** Default soft limit, as a share of the allotment: events beyond it are flagged (decision 9, D12). */
export const SOFT_LIMIT_PERCENT = 80;

/** Default lifetime of a pack (contract.md, "Limits"). */
export const PACK_MONTHS = 12;

/** Maximum number of events on one page of a list (contract.md, "Limits"). */
export const PAGE_EVENTS_MAX = 1000;

/** Concurrent pricing loops in one process. */
export const PRICING_WORKERS = 2;

/** Maximum number of jobs that a transaction claims in its first step: 1,000 events if each job has 100. */
export const PRICING_JOBS_MAX = 10;

/**
 * If jobs are small, a transaction claims more of them until it has at least this many events. It exceeds the maximum
 * only if a single job does.
 */
export const PRICING_EVENTS_MIN = 500;
export const PRICING_EVENTS_MAX = 2_000;

/**
 * Maximum number of organizations whose events one transaction prices. It takes several only if the first has fewer
 * events than the minimum (decision 33).
 */
export const PRICING_ORGANIZATIONS_MAX = 200;

/**
 * Maximum bytes of metadata claimed by one transaction, unless a single job has more. Parsed metadata takes many
 * times as much memory.
 */
export const PRICING_BYTES_MAX = 4 * 1024 * 1024;

/** Events priced before the event loop may serve other work. */
export const PRICING_SLICE_EVENTS = 25;

/** After this many failed attempts, an event is `failed`; an operator may retry it (decision 9, D20). */
export const PRICING_ATTEMPTS_MAX = 5;

/** Pause after the first failed attempt; it doubles with each further one. */
export const PRICING_RETRY_MILLISECONDS = 500;

/** The pause before the last attempt. */
export const LONGEST_PAUSE_MILLISECONDS = PRICING_RETRY_MILLISECONDS * 2 ** (PRICING_ATTEMPTS_MAX - 2);

/**
 * Maximum size of a feed batch, which consumers process as a whole: the number of facts, the same number of end users,
 * and the approximate bytes of each.
 */
export const FEED_BATCH_ITEMS = 500;
export const FEED_BATCH_BYTES = 512 * 1024;

/** Maximum number of positions that a consumer may send at once, one per organization. */
export const FEED_PLACES_MAX = 500;

/** Maximum number of positions on one page of `feedMarks`, which compares all organizations. */
export const FEED_MARKS_MAX = 2_000;

/** Limits of one feed page: facts and end users, approximate bytes, and batches of one organization. */
export const FEED_PAGE_FACTS = 4_000;
export const FEED_PAGE_BYTES = 4 * 1024 * 1024;
export const FEED_PAGE_ORGANIZATION_BATCHES = 100;

/** Maximum number of ledger entries on one page of a replay: each includes its event's metadata. */
export const REPLAY_PAGE_ENTRIES = 1_000;

/** Interval at which acknowledged batches are deleted, and how many at once. */
export const FEED_PRUNE_SECONDS = 30;
export const FEED_PRUNE_ROWS = 2_000;
/**
 * Time for which acknowledged batches are kept. A consumer's database server loses less than a second of commits in a
 * crash, and the consumer then reads those batches again.
 */
export const FEED_KEPT_SECONDS = 10;

/**
 * Maximum number of waiting events requeued in one transaction, of events in one job, and of bytes of metadata in one
 * job.
 */
export const REQUEUE_EVENTS = 5_000;
export const REQUEUE_JOB_EVENTS = 500;
export const REQUEUE_JOB_BYTES = 1024 * 1024;

/** Events that a repricing processes in one transaction. */
export const REPRICE_EVENTS = 1_000;

/** Maximum bytes of metadata in such a transaction, unless a single event has more. */
export const REPRICE_BYTES = 4 * 1024 * 1024;
/** Maximum number of events from which one transaction removes data; pricing waits for it. */
export const REDUCED_EVENTS_MAX = 1_000;

/** Metadata keys that an erasure or the retention may keep. */
export const DIMENSIONS_KEPT_MAX = 200;

/** Maximum retention of metadata if one is set: a hundred years. */
export const RETENTION_MONTHS_MAX = 1_200;

/** Interval at which an organization is checked for expired metadata. */
export const METADATA_CHECK_SECONDS = 3_600;

/** Maximum number of events of a window to sort by cost. */
export const EVENTS_BY_COST_MAX = 1_000_000;

/** Maximum number of events scanned for one page of a filtered list. */
export const EVENTS_SCANNED_MAX = 50_000;

/** Maximum number of ledger entries that one read sums, if no stored sum can be used. */
export const LEDGER_ENTRIES_MAX = 1_000_000;

/** Maximum number of lines of `Window.lateCharges`. */
export const LATE_CHARGES_MAX = 10_000;

/** Maximum number of individual events that a simulation sums, and of end users on one of its pages. */
export const SIMULATED_EVENTS_MAX = 250_000;
export const SIMULATION_PAGE_MAX = 5_000;

/**
 * Number of past days that are aggregated for simulations, number of days looked up at once, and interval between two
 * lookups.
 */
export const PROFILE_DAYS = 100;
export const PROFILE_DAYS_PER_CHECK = 200;
export const PROFILE_REST_SECONDS = 900;

/**
 * A notification on this channel triggers an immediate lookup of days, for example after data was loaded without
 * ingestion.
 */
export const PROFILE_CHANNEL = 'usage_day';

/**
 * Interval at which fixed costs are checked for days to allocate. Saving a fixed cost triggers a check at once, by a
 * notification on this channel.
 */
export const ALLOCATION_REST_SECONDS = 300;
export const ALLOCATION_CHANNEL = 'fixed_cost';

/**
 * Interval at which providers' credits are checked for days to settle. Saving a credit triggers a check at once, by a
 * notification on this channel.
 */
export const CREDIT_REST_SECONDS = 300;
export const CREDIT_CHANNEL = 'provider_credit';

/**
 * Interval at which commitments are checked for days to settle. Saving a commitment triggers a check at once, by a
 * notification on this channel.
 */
export const COMMITMENT_REST_SECONDS = 300;
export const COMMITMENT_CHANNEL = 'commitment';

/** Maximum number of allowances of an organization, and of top-ups of one allowance. */
export const ALLOWANCES_MAX = 100_000;
export const TOP_UPS_MAX = 10_000;

/**
 * Maximum number of events whose costs are summed when an allowance is created; pricing of the organization waits for
 * it.
 */
export const ALLOWANCE_EVENTS_MAX = 100_000;

/** Maximum number of an organization's events that are searched for an agent's events, which have no index. */
export const ALLOWANCE_SCANNED_MAX = 1_000_000;

/** Days for which the ended daily and monthly periods of allowances are kept. */
export const ALLOWANCE_KEPT_DAYS = 400;

/** Maximum number of open holds of one allowance in one period. */
export const OPEN_HOLDS_MAX = 10_000;

/** Lifetime of a hold in seconds: default and maximum. */
export const HOLD_SECONDS = 600;
export const HOLD_SECONDS_MAX = 86_400;

/** How long a closed hold is kept, and with it the answer for its key. */
export const HOLD_KEPT_HOURS = 24;

/** Interval at which expired holds are closed and old ones are deleted, and the maximum number in one step. */
export const HOLD_REST_SECONDS = 5;
export const HOLD_ROWS_MAX = 2_000;

/** Maximum number of holds that a page with a filter scans; the next page continues after them. */
export const HOLDS_SCANNED_MAX = 10_000;
