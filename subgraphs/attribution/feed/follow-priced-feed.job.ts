/**
 * Follows costing's feed through the gateway, each organization separately. Exactly once: facts and the offset after
 * them are committed in one transaction. Several followers share the organizations: each takes those that no other
 * holds.
 */
import { askGateway } from '#platform/ask-gateway.ts';
import { elapsedMilliseconds } from '#platform/clock.ts';
import type { Job } from '#platform/job-loop.ts';
import { servicePrincipal } from '#platform/principal.ts';
import { randomUuid } from '#platform/random.ts';
import { internalGraphql } from '#schema/graphql.ts';
import {
  FEED_CHANNEL,
  FOLLOWER,
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
  WAITING_FEEDS_MAX,
} from '../config.ts';
import { feedPages } from './feed-pages.step.ts';
import { followFeeds, type FollowerDependencies, type Offsets, STEP_BOUNDS } from './follow-feeds.step.ts';
import type { StepBounds, Turn } from './plan-step.ts';
import { rollUpNext } from './roll-up-next.step.ts';
import { timedBound } from './timed-bound.ts';

const REST_MILLISECONDS = 200;
const ROLL_UP = { factsMax: PENDING_FACTS_MAX, quietSeconds: PENDING_QUIET_SECONDS };

const DOCUMENT =
  internalGraphql(`mutation AcknowledgeFeeds($follower: String!, $acknowledged: JSON, $coming: JSON, $after: ID, $max: Int!) {
  acknowledgeFeeds(follower: $follower, acknowledged: $acknowledged, coming: $coming, after: $after, max: $max)
}`);

/** Without `bounds`, steps are bounded by the time that they take. */
export function followPricedFeed(dependencies: FollowerDependencies, bounds?: StepBounds): Job {
  /**
   * Committed but not yet reported. If the report is lost with the process or a request, the next request with the
   * offset makes up for it.
   */
  let acknowledged: Offsets = [];
  /** The organization processed last. */
  let after: string | null = null;
  /** Organizations waiting after the previous step, requested while its facts were written. */
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
      const seen = isSharing || hasMore ? null : await ahead;
      ahead = null;
      const waiting = seen?.length ? seen : await look();
      if (waiting.length === 0) return (await rollUpNext(dependencies.database, ROLL_UP, rolledUp)) ? 'more' : 'idle';
      const share = isSharing ? Math.ceil(waiting.length / 2) : waiting.length;
      const followed = await followFeeds(dependencies, waiting, {
        bounds: bounds ?? { ...STEP_BOUNDS, pairsMax: pairs.max },
        turn,
        pages,
        placesMax: Math.min(share, PLACES_PER_TRANSACTION),
        onComing: (coming) => {
          ahead = look(coming).catch(() => []);
        },
      });
      pairs.took(followed.pairs, followed.milliseconds);
      turn = followed.hasLeft && turn === 'few' ? 'many' : 'few';
      hasMore = followed.hasMore;
      if (followed.hasMetAnother) sharesUntil = elapsedMilliseconds() + FOLLOWER_MET_SECONDS * 1_000;
      acknowledged = followed.places;
      after = followed.places.at(-1)?.organizationId ?? after;
      const hasRolledUp = await rollUpNext(dependencies.database, ROLL_UP, rolledUp);
      return followed.hasMoved || hasRolledUp ? 'more' : 'idle';
    },
  };

  async function look(coming: Offsets = []): Promise<readonly string[]> {
    const variables = {
      follower: FOLLOWER,
      acknowledged,
      coming,
      after: coming.at(-1)?.organizationId ?? after,
      max: WAITING_FEEDS_MAX,
    };
    acknowledged = [];
    const principal = servicePrincipal(FOLLOWER, randomUuid());
    const { acknowledgeFeeds } = await askGateway(dependencies.gateway, DOCUMENT, variables, principal);
    return acknowledgeFeeds;
  }
}
