/** Says which organizations have batches for a follower, and takes what it has made its own since it last asked. */
import { now } from '../../../platform/clock.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { FEED_PLACES_MAX, GLOBAL_TENANT } from '../config.ts';
import { checkAtMost, checkFollower } from './check-follower.ts';
import { raiseAcknowledgements } from './feed-acknowledgement.table.ts';
import { registerFollower } from './feed-follower.table.ts';
import { findWaitingFeeds } from './feed-parts.query.ts';
import { parseFeedPlaces } from './parse-feed-place.ts';

export interface WaitingFeedsQuery {
  readonly follower: string;
  /** Places that were committed. */
  readonly acknowledged?: unknown;
  /** Organizations after this one come first. */
  readonly after?: string | null | undefined;
  readonly max: number;
}

export async function listWaitingFeeds(
  context: SubgraphContext,
  { follower, acknowledged, after, max }: WaitingFeedsQuery,
): Promise<string[]> {
  checkFollower(follower);
  checkAtMost('max', max, FEED_PLACES_MAX);
  const places = parseFeedPlaces(acknowledged ?? []);
  return context.database.acrossOrganizations(async (em) => {
    await registerFollower(em, follower, now());
    await raiseAcknowledgements(em, follower, places);
    return findWaitingFeeds(em, follower, after ?? GLOBAL_TENANT, max);
  });
}
