/** What costing tells its followers: what each pricing transaction has done, in one batch or a few, live events only. */
import type { ByCost, TokenCounts } from './token-classes.ts';

/**
 * A batch of one organization's feed. Numbers are without gap; the token, random for each batch, tells a batch from one that got the
 * same number in another history of the database (a restore, a failover that lost transactions).
 */
export interface FeedMark {
  readonly number: number;
  /** Null before the first batch. */
  readonly token: string | null;
}

/** How far a follower is in the feed of an organization. */
export interface FeedPlace extends FeedMark {
  readonly organizationId: string;
  /** A later batch of which the follower has taken something already: it must be of the same history. */
  readonly evidence: FeedMark | null;
}

/**
 * Sums up marks: SQL over the columns `organization_id`, `number` and `token`, in no order. Costing computes it of its heads and a
 * follower of its places; they are equal where the follower has taken everything, in the same history.
 */
export const FEED_DIGEST = `count(*) || ':' ||
  coalesce(sum(('x' || substr(md5(concat_ws('/', organization_id, number, token)), 1, 15))::bit(60)::bigint), 0)`;

export interface PricedBatch extends PricedBatchBody {
  readonly number: number;
  readonly token: string;
}

/** What follows one place. */
export interface FeedPart {
  readonly organizationId: string;
  /** The organization's last batch; null: costing has never priced anything of it. */
  readonly head: FeedMark | null;
  /**
   * Whether the place is in the history of this feed, and all that follows it still there. Otherwise there are no batches: the
   * follower goes to the head and has the ledger brought from its beginning.
   */
  readonly isKnown: boolean;
  readonly batches: readonly PricedBatch[];
}

/** Where a replay of the ledger is: entries in order of event and sequence, then end users of events without a cost. */
export interface ReplayCursor {
  readonly phase: 'entries' | 'waiting';
  /** The last one that was brought. */
  readonly eventId: string;
  readonly sequence: number;
  /** Only events of this time, ISO 8601; `end` is exclusive. */
  readonly start?: string;
  readonly end?: string;
}

/** A page of an organization's ledger as facts: everything between two cursors, as it stands. */
export interface LedgerPage {
  readonly facts: readonly CostFact[];
  readonly endUsers: readonly SeenEndUser[];
  /** The end of the ledger: the phase `waiting` follows or nothing. Otherwise the page ends with the last fact. */
  readonly isLastOfPhase: boolean;
  /** Null when everything was brought. */
  readonly next: ReplayCursor | null;
  /** The organization's last batch: nothing on the page is of a later one. */
  readonly head: FeedMark | null;
}

export interface PricedBatchBody {
  readonly facts: readonly CostFact[];
  /** Every end user that the batch's events name, priced or not: their existence never waits for a price. */
  readonly endUsers: readonly SeenEndUser[];
}

export interface SeenEndUser {
  readonly externalId: string;
  /** Least event time in the batch, ISO 8601 UTC. */
  readonly firstSeenAt: string;
  /** Id of the end user whose events are this one's now: it is forgotten once no fact names it. */
  readonly replaces?: string;
}

/**
 * A fact that brings the cost of an entry of a closed month, at the time at which it is booked: its `sequence` from the entry's. The fact of the
 * entry's own sequence then has its tokens and no cost, at the event's own time.
 */
export const lateCostSequence = (sequence: number): number => -1 - sequence;

/**
 * One ledger entry with everything that costs are broken down by, or a half of one that is booked late. A correction (`sequence` > 0) holds
 * differences: of costs, and of tokens where a later report of the call replaced the counts. Costs are USD as plain decimals, tokens as first
 * sent; a class that was not reported has null for both.
 */
export interface CostFact extends TokenCounts, ByCost<string, string | null> {
  readonly eventId: string;
  readonly sequence: number;
  /** ISO 8601 UTC with up to six fraction digits. */
  readonly eventTime: string;
  readonly endUserExternalId: string | null;
  /** Slug of the card that priced the event, else the model as sent. */
  readonly modelSlug: string;
  /** Id and slug in the catalogue, or `unknown`. */
  readonly providerId: string;
  readonly providerSlug: string;
  /** As reported on the event, else the catalogue's display name, else `unknown`. */
  readonly providerName: string;
  /** Whether the event named its provider. Absent in batches from before this was told: then taken as reported. */
  readonly providerReported?: boolean;
  readonly totalCost: string;
  /**
   * Scalar metadata (strings, numbers, booleans as text; at most 255 characters, longer ones are absent) and the mapped
   * attribution keys: `feature`, `agent_id`, `workflow_id`, `experiment_id`, `variant`, `session_type`. Of an event that was not priced
   * as standard also `pricing.context` (`geo=us,tier=batch`) and a key for each of its pairs (`pricing.tier`).
   */
  readonly dimensions: Readonly<Record<string, string>>;
  readonly sessionId: string | null;
  readonly spanId: string | null;
  readonly parentSpanId: string | null;
  /**
   * The event changed since it was accepted (something was taken out of it, or a later report replaced its counts): a fact that the
   * follower has already takes the end user, the session and the dimensions of this one. Its figures are the same.
   */
  readonly isReduced?: true;
}
