/** What costing tells its followers: what each pricing transaction has done, in one batch or a few, live events only. */
import type { ByCost, TokenCounts } from './token-classes.ts';

/** A follower's place: the pair orders batches as they become visible. A follower keeps it whole and looks at nothing in it. */
export interface FeedPosition {
  /** Transaction id (`xid8`) as text. */
  readonly xid: string;
  /** Batch id as text. */
  readonly id: string;
  /** More batches of the same transaction follow. */
  readonly unfinished?: true;
  /** While the past is brought from the ledger: the place in it. The feed goes on after the pair. */
  readonly replay?: ReplayPlace;
}

/** Entries of transactions after `after`, in order of organization, event and sequence; then end users of events without a cost. */
export interface ReplayPlace {
  readonly after: string;
  readonly phase: 'entries' | 'waiting';
  /** The last one that was brought. */
  readonly organizationId: string;
  readonly eventId: string;
  readonly sequence: number;
}

export interface PricedBatch extends PricedBatchBody {
  readonly position: FeedPosition;
  readonly organizationId: string;
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
}

/**
 * One ledger entry with everything that costs are broken down by. A correction (`sequence` > 0) holds differences and no tokens.
 * Costs are USD as plain decimals, tokens as sent, 0 or null in a correction; of a class that was not reported both are null.
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
   * attribution keys: `feature`, `agent_id`, `workflow_id`, `experiment_id`, `variant`, `session_type`.
   */
  readonly dimensions: Readonly<Record<string, string>>;
  readonly sessionId: string | null;
  readonly spanId: string | null;
  readonly parentSpanId: string | null;
}

/** What `pricedFeed` answers: batches in order, and whether there are more. */
export interface PricedFeedPage {
  readonly batches: readonly PricedBatch[];
  readonly more: boolean;
}
