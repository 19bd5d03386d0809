/**
 * Follows costing's feed through the gateway, each organization separately. Exactly once: facts and the offset after
 * them are committed in one transaction. Several followers share the organizations: each takes those that no other
 * holds.
 */
import { elapsedMilliseconds } from '#platform/clock.ts';
import type { Job } from '#platform/job-loop.ts';
import {
  FEED_CHANNEL,
  FOLLOWER_MET_SECONDS,
  PAIRS_PER_TRANSACTION_MAX,
  PAIRS_PER_TRANSACTION_MIN,
  PENDING_FACTS_MAX,
  PENDING_QUIET_SECONDS,
  PLACES_PER_TRANSACTION,
  ROLL_UP_FACTS_PER_STEP,
  ROLL_UP_FACTS_PER_STEP_MAX,
  ROLL_UP_FACTS_PER_STEP_MIN,
  STEP_MILLISECONDS,
} from '../config.ts';
import { feedLanes } from './feed-lanes.step.ts';
import { feedPages } from './feed-pages.step.ts';
import { followFeeds, type FollowerDependencies, STEP_BOUNDS } from './follow-feeds.step.ts';
import type { StepBounds, Turn } from './plan-step.ts';
import { rollUpNext } from './roll-up-next.step.ts';
import { timedBound } from './timed-bound.ts';

const REST_MILLISECONDS = 200;
const ROLL_UP = { factsMax: PENDING_FACTS_MAX, quietSeconds: PENDING_QUIET_SECONDS };

/** Without `bounds`, steps are bounded by the time that they take. */
export function followPricedFeed(
  dependencies: FollowerDependencies,
  bounds?: StepBounds,
  lanes = feedLanes(dependencies),
): Job {
  /** The organization processed last. */
  let after: string | null = null;
  /** Organizations that wait after the previous step; the list was requested while its facts were written. */
  let ahead: Promise<readonly string[]> | null = null;
  const pages = feedPages(dependencies);
  /**
   * Until this time, the follower takes only half of the waiting organizations. If few are waiting, it would otherwise
   * hold all of them, and other followers none.
   */
  let sharesUntil = 0;
  let turn: Turn = 'few';
  /** True if the last step left some facts of an organization for the next one. */
  let hasMore = false;
  const pairs = timedBound({
    least: PAIRS_PER_TRANSACTION_MIN,
    most: PAIRS_PER_TRANSACTION_MAX,
    first: STEP_BOUNDS.pairsMax,
    milliseconds: STEP_MILLISECONDS,
  });
  const rolledUp = timedBound({
    least: ROLL_UP_FACTS_PER_STEP_MIN,
    most: ROLL_UP_FACTS_PER_STEP_MAX,
    first: ROLL_UP_FACTS_PER_STEP,
    milliseconds: STEP_MILLISECONDS,
  });
  return {
    name: 'follow-priced-feed',
    channel: FEED_CHANNEL,
    restMilliseconds: REST_MILLISECONDS,
    async step() {
      const isSharing = elapsedMilliseconds() < sharesUntil;
      // The list may be old after a long step: an organization that is not in it must not wait for another such step.
      const seen = isSharing || hasMore ? [] : mine((await ahead) ?? []);
      ahead = null;
      const waiting = seen.length > 0 ? seen : mine(await lanes.look(after));
      if (waiting.length === 0) return (await rollUp()) ? 'more' : 'idle';
      const share = isSharing ? Math.ceil(waiting.length / 2) : waiting.length;
      lanes.isBusy = waiting.every((organizationId) => lanes.long.has(organizationId));
      const followed = await followFeeds(dependencies, waiting, {
        bounds: bounds ?? { ...STEP_BOUNDS, pairsMax: pairs.max },
        turn,
        pages,
        placesMax: Math.min(share, PLACES_PER_TRANSACTION),
        onComing: (coming, isUnfinished) => {
          lanes.isBusy = isUnfinished;
          ahead = lanes.look(coming.at(-1)?.organizationId ?? after, coming).catch(() => []);
        },
      }).finally(() => (lanes.isBusy = false));
      pairs.took(followed.pairs, followed.milliseconds);
      lanes.record(followed, turn === 'few' ? followed.left : []);
      turn = followed.left.length > 0 && turn === 'few' ? 'many' : 'few';
      hasMore = followed.unfinished.length > 0;
      if (followed.hasMetAnother) sharesUntil = elapsedMilliseconds() + FOLLOWER_MET_SECONDS * 1_000;
      after = followed.places.at(-1)?.organizationId ?? after;
      const hasRolledUp = await rollUp();
      return followed.hasMoved || hasRolledUp ? 'more' : 'idle';
    },
  };

  /**
   * Leaves out organizations that the second follower is following. If it is the turn of organizations with many facts,
   * leaves all others to the second follower.
   */
  function mine(waiting: readonly string[]): readonly string[] {
    const free = waiting.filter((organizationId) => !lanes.held.has(organizationId));
    const long = turn === 'many' ? free.filter((organizationId) => lanes.long.has(organizationId)) : [];
    return long.length > 0 ? long : free;
  }

  async function rollUp(): Promise<boolean> {
    lanes.isBusy = true;
    return rollUpNext(dependencies.database, ROLL_UP, rolledUp).finally(() => (lanes.isBusy = false));
  }
}
