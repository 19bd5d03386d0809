/**
 * Compares every offset with costing's, at start and periodically. The two differ after a database was restored or
 * moved, even if nothing was priced since. Following such an organization resolves the difference. If an organization
 * has advanced since the previous check, the follower is already doing that.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import { type Job, UPKEEP_SHARE } from '#platform/job-loop.ts';
import { servicePrincipal } from '#platform/principal.ts';
import { randomUuid } from '#platform/random.ts';
import { internalGraphql } from '#schema/graphql.ts';
import type { FeedMark } from '#schema/priced-feed.ts';
import { FOLLOWER, PLACES_CHECK_SECONDS, PLACES_CHECKED_AT_ONCE, PLACES_PER_TRANSACTION } from '../config.ts';
import { findDifferingOffsets } from './differing-offsets.query.ts';
import { followFeeds, type FollowerDependencies } from './follow-feeds.step.ts';

const DOCUMENT = internalGraphql(`query FeedMarks($follower: String!, $after: ID, $max: Int!) {
  feedMarks(follower: $follower, after: $after, max: $max)
}`);

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

export function checkOffsets(dependencies: FollowerDependencies): Job {
  const { database, gateway } = dependencies;
  let after = BEFORE_ALL;
  /**
   * The organizations that differed at the previous complete check, with their offsets, and those that differ so far at
   * this one.
   */
  let previous: ReadonlyMap<string, number> = new Map();
  let current = new Map<string, number>();
  return {
    name: 'check-offsets',
    restMilliseconds: PLACES_CHECK_SECONDS * 1_000,
    share: UPKEEP_SHARE,
    async step() {
      const variables = { follower: FOLLOWER, after, max: PLACES_CHECKED_AT_ONCE };
      const answer = await askGateway(gateway, DOCUMENT, variables, servicePrincipal(FOLLOWER, randomUuid()));
      const marks = answer.feedMarks as readonly (FeedMark & { readonly organizationId: OrganizationId })[];
      const upTo = marks.length < PLACES_CHECKED_AT_ONCE ? null : (marks.at(-1)?.organizationId ?? null);
      const differing = await findDifferingOffsets(database, marks, after, upTo);
      const others = differing.flatMap(({ organizationId, number }) =>
        number > (previous.get(organizationId) ?? Infinity) ? [] : [organizationId],
      );
      for (const { organizationId, number } of differing) current.set(organizationId, number);
      for (let from = 0; from < others.length; from += PLACES_PER_TRANSACTION)
        await followFeeds(dependencies, others.slice(from, from + PLACES_PER_TRANSACTION));
      after = upTo ?? BEFORE_ALL;
      if (upTo === null) [previous, current] = [current, new Map<string, number>()];
      return upTo === null ? 'idle' : 'more';
    },
  };
}
