/** The feed from costing to its followers: the live events of each pricing transaction, in one or more batches. */
import type { EventId, OrganizationId } from '#kernel/ids.ts';
import type { ByCost, TokenCounts } from './token-classes.ts';

/**
 * A batch of one organization's feed. Numbers have no gaps. The random token distinguishes a batch from one with the
 * same number in another history of the database, after a restore or a failover that lost transactions.
 */
export interface FeedMark {
  readonly number: number;
  /** Null before the first batch. */
  readonly token: string | null;
}

/** A follower's offset in the feed of an organization. */
export interface FeedOffset extends FeedMark {
  readonly organizationId: OrganizationId;
  /** A later batch that the follower has already applied in part; it must belong to the same history. */
  readonly evidence: FeedMark | null;
}

/**
 * Digest of offsets: SQL over the columns `organization_id`, `number` and `token`, in any order. Costing computes it
 * for its latest batches and a follower for its offsets. They are equal if the follower has applied everything, in the
 * same history.
 */
export const FEED_DIGEST = `count(*) || ':' ||
  coalesce(sum(('x' || substr(md5(concat_ws('/', organization_id, number, token)), 1, 15))::bit(60)::bigint), 0)`;

export interface PricedBatch extends PricedBatchBody {
  readonly number: number;
  readonly token: string;
}

/** The batches after an offset. */
export interface FeedPart {
  readonly organizationId: OrganizationId;
  /** The organization's last batch; null if costing has priced nothing for it. */
  readonly head: FeedMark | null;
  /**
   * True if the offset belongs to this feed's history and everything after it is still available. Otherwise no batches
   * are returned: the follower moves to the latest batch and replays the ledger from the start.
   */
  readonly isKnown: boolean;
  readonly batches: readonly PricedBatch[];
}

/** Cursor of a ledger replay: entries by event and sequence, then end users of events without a cost. */
export interface ReplayCursor {
  readonly phase: 'entries' | 'waiting';
  /** The last item returned. */
  readonly eventId: EventId;
  readonly sequence: number;
  /** Only events in this period, ISO 8601; `end` is exclusive. */
  readonly start?: string;
  readonly end?: string;
}

/** A page of an organization's ledger as facts: everything between two cursors, in its current state. */
export interface LedgerPage {
  readonly facts: readonly CostFact[];
  readonly endUsers: readonly SeenEndUser[];
  /** True if this is the end of the ledger entries; the phase `waiting` follows, or nothing. */
  readonly isLastOfPhase: boolean;
  /** Null after the last page. */
  readonly next: ReplayCursor | null;
  /** The organization's last batch; nothing on the page is newer. */
  readonly head: FeedMark | null;
}

export interface PricedBatchBody {
  readonly facts: readonly CostFact[];
  /** Every end user in the batch's events, priced or not, so that end users appear before their events have a price. */
  readonly endUsers: readonly SeenEndUser[];
}

export interface SeenEndUser {
  readonly externalId: string;
  /** Least event time in the batch, ISO 8601 UTC. */
  readonly firstSeenAt: string;
  /** Id of the end user whose events now belong to this one. It is deleted when no fact refers to it. */
  readonly replaces?: string;
}

/**
 * A charge of an entry for one class: class (`cache_read`, `web_searches`), quantity and amount. The other values are
 * only given if they differ from their default: the amount at list prices (the same amount), the unit (`token`), the
 * pricing context (standard), the model (the fact's) and the agreement whose discount was subtracted (none). The
 * amounts of an entry's lines add up to its total cost. The lines of a correction contain differences.
 */
export type ChargeLine = readonly [
  chargeClass: string,
  quantity: string,
  amount: string,
  listAmount?: string | null,
  unit?: string | null,
  context?: string | null,
  model?: string | null,
  agreement?: string | null,
];

/**
 * Sequence of the fact that carries the cost of an entry in a closed month, at its booked time. The fact with the
 * entry's own sequence carries its tokens, without cost, at the event's own time.
 */
export const lateCostSequence = (sequence: number): number => -1 - sequence;

/**
 * One ledger entry with everything that costs are broken down by, or a half of one that is booked late. A correction (`sequence` > 0) holds
 * differences: of costs, and of tokens where a later report of the call replaced the counts. Costs are USD as plain decimals, tokens as first
 * sent; a class that was not reported has null for both.
 */
export interface CostFact extends TokenCounts, ByCost<string, string | null> {
  readonly eventId: EventId;
  readonly sequence: number;
  /** ISO 8601 UTC with up to six fraction digits. */
  readonly eventTime: string;
  readonly endUserExternalId: string | null;
  /** Slug of the rate card that priced the event, or the model as sent. */
  readonly modelSlug: string;
  /** Id and slug in the catalogue, or `unknown`. */
  readonly providerId: string;
  readonly providerSlug: string;
  /** As reported on the event, otherwise the catalogue's display name or `unknown`. */
  readonly providerName: string;
  /** True if the event named its provider. Absent in older batches, which count as reported. */
  readonly providerReported?: boolean;
  readonly totalCost: string;
  readonly charges: readonly ChargeLine[];
  /**
   * Scalar metadata (strings, numbers, booleans as text; at most 255 characters, longer ones are absent) and the mapped
   * attribution keys: `feature`, `agent_id`, `workflow_id`, `experiment_id`, `variant`, `session_type`. If the event
   * has a pricing context other than the standard one, also `pricing.context` (`geo=us,tier=batch`) and a key for each
   * of its pairs (`pricing.tier`).
   */
  readonly dimensions: Readonly<Record<string, string>>;
  readonly sessionId: string | null;
  readonly spanId: string | null;
  readonly parentSpanId: string | null;
  /**
   * The event changed since it was accepted (data was removed from it, or a later report replaced its counts): a
   * follower that already has the fact replaces its end user, session and dimensions with this fact's. The figures are
   * unchanged.
   */
  readonly isReduced?: true;
}
