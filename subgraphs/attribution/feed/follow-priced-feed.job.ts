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
import { FEED_CHANNEL, FOLLOWER, FOLLOWER_MET_SECONDS, PLACES_PER_TRANSACTION, WAITING_FEEDS_MAX } from '../config.ts';
import { feedPages } from './feed-pages.step.ts';
import { followFeeds, type FollowerDependencies, type Offsets, STEP_BOUNDS } from './follow-feeds.step.ts';
import type { StepBounds } from './plan-step.ts';

const REST_MILLISECONDS = 200;

const DOCUMENT =
  internalGraphql(`mutation AcknowledgeFeeds($follower: String!, $acknowledged: JSON, $coming: JSON, $after: ID, $max: Int!) {
  acknowledgeFeeds(follower: $follower, acknowledged: $acknowledged, coming: $coming, after: $after, max: $max)
}`);

export function followPricedFeed(dependencies: FollowerDependencies, bounds: StepBounds = STEP_BOUNDS): Job {
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
   * Until then the follower takes only half. With few waiting organizations it would hold them all, and the others
   * would have none.
   */
  let sharesUntil = 0;
  return {
    name: 'follow-priced-feed',
    channel: FEED_CHANNEL,
    restMilliseconds: REST_MILLISECONDS,
    async step() {
      const isSharing = elapsedMilliseconds() < sharesUntil;
      const seen = isSharing ? null : await ahead;
      ahead = null;
      const waiting = seen?.length ? seen : await look();
      if (waiting.length === 0) return 'idle';
      const share = isSharing ? Math.ceil(waiting.length / 2) : waiting.length;
      const followed = await followFeeds(dependencies, waiting, {
        bounds,
        pages,
        placesMax: Math.min(share, PLACES_PER_TRANSACTION),
        onComing: (coming) => {
          ahead = look(coming).catch(() => []);
        },
      });
      if (followed.hasMetAnother) sharesUntil = elapsedMilliseconds() + FOLLOWER_MET_SECONDS * 1_000;
      acknowledged = followed.places;
      after = followed.places.at(-1)?.organizationId ?? after;
      return followed.hasMoved ? 'more' : 'idle';
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
