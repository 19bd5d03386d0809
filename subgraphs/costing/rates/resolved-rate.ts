/** A request for the rate of an event, and its result. */
import type { CachedTokensRule } from '#usage/counts/cached-tokens-rule.ts';
import { type Discount } from './discounts/discount.ts';
import { type DatedVersion, type RatedCard } from './rated-card.query.ts';

export interface RateRequest {
  /** As sent. */
  readonly model: string;
  /** As sent; null if the event does not name one. */
  readonly provider: string | null;
  /** When the event occurred, in milliseconds since 1970. Selects the version in force at that time. */
  readonly eventTimeMs: number;
  /** Additional models of the same provider whose rates the event needs. */
  readonly otherModels?: readonly string[];
}

export interface ResolvedRate {
  /** Slug of the event's provider, `unknown`, or null if the event does not name one. */
  readonly provider: string | null;
  /** Null: the event waits. */
  readonly match: MatchedVersion | null;
  /**
   * The standard card that would price the event without cards and discounts of the organization; null or absent if
   * `match` already is that price.
   */
  readonly list?: MatchedVersion | null;
  /** True if the organization prices unknown contexts at base rates (decision 43). */
  readonly unknownAtBase?: boolean;
  readonly cachedTokensRules?: readonly CachedTokensRule[];
  /** Results for the additional models; null if no card matches. */
  readonly others?: ReadonlyMap<string, MatchedVersion | null>;
}

export interface MatchedVersion {
  readonly card: RatedCard;
  readonly version: DatedVersion;
  /** Discounts agreed for the card, past and future ones included. */
  readonly discounts: readonly Discount[];
  /** How the name matched the card, for display. */
  readonly rule: string;
}
