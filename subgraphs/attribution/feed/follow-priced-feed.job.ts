/**
 * Follows costing's feed through the gateway, each organization by itself. Exactly once: facts and the place after them are one
 * transaction. Several followers share the organizations: each takes what no other holds.
 */
import { askGateway } from '../../../platform/ask-gateway.ts';
import { elapsedMilliseconds } from '../../../platform/clock.ts';
import type { Job } from '../../../platform/job-loop.ts';
import { servicePrincipal } from '../../../platform/principal.ts';
import { randomUuid } from '../../../platform/random.ts';
import { graphql } from '../../../schema/graphql.ts';
import { FEED_CHANNEL, FOLLOWER, FOLLOWER_MET_SECONDS, PLACES_PER_TRANSACTION, WAITING_FEEDS_MAX } from '../config.ts';
import { type Followed, followFeeds, type FollowerDependencies, STEP_BOUNDS } from './follow-feeds.step.ts';
import type { StepBounds } from './plan-step.ts';

const REST_MILLISECONDS = 200;

const DOCUMENT = graphql(`query WaitingFeeds($follower: String!, $acknowledged: JSON, $after: ID, $max: Int!) {
  waitingFeeds(follower: $follower, acknowledged: $acknowledged, after: $after, max: $max)
}`);

export function followPricedFeed(dependencies: FollowerDependencies, bounds: StepBounds = STEP_BOUNDS): Job {
  /** Committed and not yet told: lost with the process, the next look tells it. */
  let acknowledged: Followed['places'] = [];
  /** Whose turn was last. */
  let after: string | null = null;
  /** Where few organizations wait, one follower would hold all of them, and the others would follow none. */
  let sharesUntil = 0;
  return {
    name: 'follow-priced-feed',
    channel: FEED_CHANNEL,
    restMilliseconds: REST_MILLISECONDS,
    async step() {
      const variables = { follower: FOLLOWER, acknowledged, after, max: WAITING_FEEDS_MAX };
      const { waitingFeeds } = await askGateway(
        dependencies.gateway,
        DOCUMENT,
        variables,
        servicePrincipal(FOLLOWER, randomUuid()),
      );
      acknowledged = [];
      if (waitingFeeds.length === 0) return 'idle';
      const share = elapsedMilliseconds() < sharesUntil ? Math.ceil(waitingFeeds.length / 2) : waitingFeeds.length;
      const placesMax = Math.min(share, PLACES_PER_TRANSACTION);
      const followed = await followFeeds(dependencies, waitingFeeds, bounds, placesMax);
      if (followed.hasMetAnother) sharesUntil = elapsedMilliseconds() + FOLLOWER_MET_SECONDS * 1_000;
      acknowledged = followed.places;
      after = followed.places.at(-1)?.organizationId ?? after;
      return followed.hasMoved ? 'more' : 'idle';
    },
  };
}
