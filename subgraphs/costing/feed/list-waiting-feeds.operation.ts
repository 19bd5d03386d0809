/** Says which organizations have batches for a follower, and takes what it has made its own since it last asked. */
import { now } from '../../../platform/clock.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { FEED_PLACES_MAX, GLOBAL_TENANT } from '../config.ts';
import { checkAtMost, checkFollower } from './check-follower.ts';
import { ACKNOWLEDGED_AGAIN, raiseAcknowledgements } from './feed-acknowledgement.table.ts';
import { registerFollower } from './feed-follower.table.ts';
import { findWaitingFeeds } from './feed-parts.query.ts';
import { parseFeedPlaces } from './parse-feed-place.ts';

export interface WaitingFeedsQuery {
  readonly follower: string;
  /** Places that were committed. */
  readonly acknowledged?: unknown;
  /** Places that are being reached: no word for anything. */
  readonly coming?: unknown;
  /** Organizations after this one come first. */
  readonly after?: string | null | undefined;
  readonly max: number;
}

export async function listWaitingFeeds(
  context: SubgraphContext,
  { follower, acknowledged, coming, after, max }: WaitingFeedsQuery,
): Promise<string[]> {
  checkFollower(follower);
  checkAtMost('max', max, FEED_PLACES_MAX);
  const places = parseFeedPlaces(acknowledged ?? []);
  const heads = parseFeedPlaces(coming ?? []);
  return context.database.acrossOrganizations(async (em) => {
    await registerFollower(em, follower, now());
    await raiseAcknowledgements(em, follower, places);
    return findWaitingFeeds(em, follower, { coming: heads, after: after ?? GLOBAL_TENANT, max });
  }, ACKNOWLEDGED_AGAIN);
}
