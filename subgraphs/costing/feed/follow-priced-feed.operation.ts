/**
 * Returns the batches priced since a consumer's positions, and takes each position as an acknowledgement of everything
 * before it.
 */
import type { FeedPart } from '#schema/priced-feed.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { FEED_PAGE_FACTS } from '../config.ts';
import { checkAtMost, checkFollower } from './check-follower.ts';
import { REPLAYABLE, setAcknowledgements } from './feed-acknowledgement.table.ts';
import { registerFollower } from './feed-follower.table.ts';
import { readFeedParts } from './feed-parts.query.ts';
import { parseFeedOffsets } from './parse-feed-offset.ts';

export interface FeedRequest {
  readonly follower: string;
  /** Positions in organizations that the consumer has locked for itself. */
  readonly places: unknown;
  readonly factsMax: number;
  /** False for a consumer that reads ahead: it has not committed these positions, and may never do so. */
  readonly acknowledges?: boolean;
}

/**
 * No batch of an organization is left out or returned twice, regardless of concurrent commits. A position that is
 * unknown to this feed, or was pruned, gets no batches. Nothing is then pruned for that consumer until it has
 * acknowledged a known position.
 */
export async function followPricedFeed(
  context: SubgraphContext,
  { follower, places, factsMax, acknowledges = true }: FeedRequest,
): Promise<readonly FeedPart[]> {
  checkFollower(follower);
  checkAtMost('factsMax', factsMax, FEED_PAGE_FACTS);
  const parsed = parseFeedOffsets(places);
  return context.database.system(async (tx) => {
    await registerFollower(tx, follower, now());
    const parts = await readFeedParts(tx, parsed, factsMax);
    if (!acknowledges) return parts;
    const known = new Set(parts.flatMap(({ organizationId, isKnown }) => (isKnown ? organizationId : [])));
    await setAcknowledgements(
      tx,
      follower,
      parsed.map((place) => (known.has(place.organizationId) ? place : { ...place, number: 0, token: null })),
    );
    return parts;
  }, REPLAYABLE);
}
