/** Constants of this subgraph. Where one settles an open point of the contract, it names the row. */

/** Owner of standard rows, the ones that hold for everybody. */
export const GLOBAL_TENANT = '00000000-0000-0000-0000-000000000000';

/** contract.md, "Limits". */
export const BATCH_EVENTS_MAX = 100;

/** Share of the allotment past which events are flagged when a plan names no soft limit (decision 9, D12). */
export const SOFT_LIMIT_PERCENT = 80;

/** How long a pack lasts unless said otherwise (contract.md, "Limits"). */
export const PACK_MONTHS = 12;

/** Events on one page of a list (contract.md, "Limits"). */
export const PAGE_EVENTS_MAX = 1000;

/** Loops that price side by side in one process. */
export const PRICING_WORKERS = 2;

/** Jobs that one transaction claims at first: batches of 100 make 1,000 events. */
export const PRICING_JOBS_MAX = 10;

/** With smaller jobs it claims more, until it has at least so many events; never more than the maximum, unless one job alone has. */
export const PRICING_EVENTS_MIN = 500;
export const PRICING_EVENTS_MAX = 2_000;

/** Organizations whose events one transaction prices, where the first has fewer than the minimum (decision 33). */
export const PRICING_ORGANIZATIONS_MAX = 200;

/** Metadata that one transaction claims, unless one job alone has more: parsed, it takes many times as much memory. */
export const PRICING_BYTES_MAX = 4 * 1024 * 1024;

/** Events that are priced before the event loop may serve others. */
export const PRICING_SLICE_EVENTS = 25;

/** After so many failed attempts an event is `failed`; an operator may retry it (decision 9, D20). */
export const PRICING_ATTEMPTS_MAX = 5;

/** Pause after the first failed attempt; each further one is twice as long. */
export const PRICING_RETRY_MILLISECONDS = 500;

/** The pause before the last attempt. */
export const LONGEST_PAUSE_MILLISECONDS = PRICING_RETRY_MILLISECONDS * 2 ** (PRICING_ATTEMPTS_MAX - 2);

/** What a follower takes whole: at most so many facts and as many end users, of about so many bytes each. */
export const FEED_BATCH_ITEMS = 500;
export const FEED_BATCH_BYTES = 512 * 1024;

/** Organizations whose places a follower may send at once. */
export const FEED_PLACES_MAX = 500;

/** Marks of organizations on one page, for a comparison of all of them. */
export const FEED_MARKS_MAX = 2_000;

/** On one page of the feed: facts and end users, about so many bytes, and batches of one organization. */
export const FEED_PAGE_FACTS = 4_000;
export const FEED_PAGE_BYTES = 4 * 1024 * 1024;
export const FEED_PAGE_ORGANIZATION_BATCHES = 100;

/** Entries of the ledger on one page for a follower that is brought the past: each comes with its event's metadata. */
export const REPLAY_PAGE_ENTRIES = 1_000;

/** How often acknowledged batches are removed, and how many at once. */
export const FEED_PRUNE_SECONDS = 30;
export const FEED_PRUNE_ROWS = 2_000;
/** A follower's server forgets less than a second in a crash; batches stay that long, and longer, although they are acknowledged. */
export const FEED_KEPT_SECONDS = 10;

/** Waiting events that go back into the queue in one transaction, and in one job, with the metadata in one job. */
export const REQUEUE_EVENTS = 5_000;
export const REQUEUE_JOB_EVENTS = 500;
export const REQUEUE_JOB_BYTES = 1024 * 1024;

/** Events that a repricing looks at in one transaction. */
export const REPRICE_EVENTS = 1_000;

/** And their metadata, unless one event alone has more. */
export const REPRICE_BYTES = 4 * 1024 * 1024;
/** Events of which one transaction takes something out; pricing waits for it. */
export const REDUCED_EVENTS_MAX = 1_000;

/** Keys of metadata that an erasure or the retention may keep. */
export const DIMENSIONS_KEPT_MAX = 200;

/** Metadata is kept at most so long where a limit is set: a hundred years are for ever. */
export const RETENTION_MONTHS_MAX = 1_200;

/** How often an organization is looked through for metadata that has become old. */
export const METADATA_LOOK_SECONDS = 3_600;

/** Events of a window that are sorted by their cost at most. */
export const EVENTS_BY_COST_MAX = 1_000_000;

/** Events that one page of a filtered list looks through. */
export const EVENTS_LOOKED_THROUGH_MAX = 50_000;

/** Entries of the ledger that one read adds up where no kept sum can answer. */
export const LEDGER_ENTRIES_MAX = 1_000_000;

/** Single events that a simulation adds up, and end users on a page of it. */
export const SIMULATED_EVENTS_MAX = 250_000;
export const SIMULATION_PAGE_MAX = 5_000;

/** How far back days are added up for simulations, how many are looked up at once, and how often. */
export const PROFILE_DAYS = 100;
export const PROFILE_DAYS_PER_LOOK = 200;
export const PROFILE_REST_SECONDS = 900;

/** On which the days may be looked up at once: for those who load events by other ways. */
export const PROFILE_CHANNEL = 'usage_day';
