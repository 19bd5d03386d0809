/**
 * Follows organizations with few facts while the main follower is busy with one that has many, so that they do not wait
 * for it. Does nothing otherwise.
 */
import type { Job } from '#platform/job-loop.ts';
import { FACTS_PER_TRANSACTION, FEED_CHANNEL, PAIRS_PER_TRANSACTION_MIN, PLACES_PER_TRANSACTION } from '../config.ts';
import type { FeedLanes } from './feed-lanes.step.ts';
import { followFeeds, type FollowerDependencies } from './follow-feeds.step.ts';
import type { StepBounds } from './plan-step.ts';

/** Long, because notifications keep arriving while the main follower is busy, and each check costs a request. */
const REST_MILLISECONDS = 1_000;
const BOUNDS: StepBounds = { factsMax: FACTS_PER_TRANSACTION, pairsMax: PAIRS_PER_TRANSACTION_MIN };

export function followShortFeeds(dependencies: FollowerDependencies, lanes: FeedLanes, bounds = BOUNDS): Job {
  /** The organization processed last. */
  let after: string | null = null;
  return {
    name: 'follow-short-feeds',
    channel: FEED_CHANNEL,
    restMilliseconds: REST_MILLISECONDS,
    async step() {
      if (!lanes.isBusy) return 'idle';
      const waiting = (await lanes.look(after))
        .filter((organizationId) => !lanes.long.has(organizationId))
        .slice(0, PLACES_PER_TRANSACTION);
      if (waiting.length === 0) return 'idle';
      for (const organizationId of waiting) lanes.held.add(organizationId);
      try {
        const followed = await followFeeds(dependencies, waiting, { bounds, turn: 'only few' });
        lanes.record(followed, followed.left);
        after = followed.places.at(-1)?.organizationId ?? after;
        return followed.hasMoved ? 'more' : 'idle';
      } finally {
        lanes.held.clear();
      }
    },
  };
}
