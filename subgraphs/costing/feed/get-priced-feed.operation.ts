/** Hands a follower what was priced since its places, and takes each place that it has reached as its word for everything before. */
import type { FeedPart } from '../../../schema/priced-feed.ts';
import { now } from '../../../platform/clock.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { FEED_PAGE_FACTS } from '../config.ts';
import { checkAtMost, checkFollower } from './check-follower.ts';
import { ACKNOWLEDGED_AGAIN, setAcknowledgements } from './feed-acknowledgement.table.ts';
import { registerFollower } from './feed-follower.table.ts';
import { readFeedParts } from './feed-parts.query.ts';
import { parseFeedPlaces } from './parse-feed-place.ts';

export interface FeedQuery {
  readonly follower: string;
  /** Of organizations that the follower holds: no one else moves there meanwhile. */
  readonly places: unknown;
  readonly factsMax: number;
  /** False where the follower reads ahead: it has not made these places its own, and may never do so. */
  readonly acknowledges?: boolean;
}

/**
 * In each organization no batch is left out and none comes twice, whatever commits meanwhile. A place that is not in the history of
 * this feed, or was pruned, gets no batches: nothing is pruned for that follower until it has acknowledged in this history.
 */
export async function getPricedFeed(
  context: SubgraphContext,
  { follower, places, factsMax, acknowledges = true }: FeedQuery,
): Promise<readonly FeedPart[]> {
  checkFollower(follower);
  checkAtMost('factsMax', factsMax, FEED_PAGE_FACTS);
  const parsed = parseFeedPlaces(places);
  return context.database.acrossOrganizations(async (em) => {
    await registerFollower(em, follower, now());
    const parts = await readFeedParts(em, parsed, factsMax);
    if (!acknowledges) return parts;
    const known = new Set(parts.flatMap(({ organizationId, isKnown }) => (isKnown ? organizationId : [])));
    await setAcknowledgements(
      em,
      follower,
      parsed.map((place) => (known.has(place.organizationId) ? place : { ...place, number: 0, token: null })),
    );
    return parts;
  }, ACKNOWLEDGED_AGAIN);
}
