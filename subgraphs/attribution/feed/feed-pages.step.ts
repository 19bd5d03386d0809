/**
 * Pages of costing's feed, through the gateway. The next page can be read while the facts of the current one are
 * written.
 */
import { askGateway } from '#platform/ask-gateway.ts';
import { servicePrincipal } from '#platform/principal.ts';
import { randomUuid } from '#platform/random.ts';
import type { SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { internalGraphql } from '#schema/graphql.ts';
import type { FeedMark, FeedPart, FeedOffset } from '#schema/priced-feed.ts';
import { FOLLOWER } from '../config.ts';

const DOCUMENT =
  internalGraphql(`mutation FollowPricedFeed($follower: String!, $places: JSON!, $factsMax: Int!, $acknowledges: Boolean!) {
  followPricedFeed(follower: $follower, places: $places, factsMax: $factsMax, acknowledges: $acknowledges)
}`);

export interface FeedPages {
  /**
   * Returns what follows these offsets. Parts that were read ahead are returned as they are; the request for the
   * others acknowledges their offsets.
   */
  read(places: readonly FeedOffset[], factsMax: number): Promise<readonly FeedPart[]>;
  /**
   * Reads what follows offsets that are about to be reached. Acknowledges nothing. Discards what was read ahead
   * before, except `kept`: parts that were read but not used, and the offsets that they follow.
   */
  readAhead(places: readonly FeedOffset[], factsMax: number, kept?: KeptParts): void;
}

interface KeptParts {
  readonly places: readonly FeedOffset[];
  readonly parts: readonly FeedPart[];
}

interface Ahead {
  readonly places: readonly FeedOffset[];
  readonly parts: Promise<readonly FeedPart[]>;
}

export function feedPages({ gateway }: Pick<SubgraphDependencies, 'gateway'>): FeedPages {
  let ahead: Ahead | null = null;
  return {
    async read(places, factsMax) {
      const seen = ahead;
      ahead = null;
      const known = seen === null ? [] : partsAfter(places, seen.places, await seen.parts);
      const knownIds = new Set(known.map(({ organizationId }) => organizationId));
      const rest = places.filter(({ organizationId }) => !knownIds.has(organizationId));
      return rest.length === 0 ? known : [...known, ...(await ask(rest, { factsMax, acknowledges: true }))];
    },
    readAhead(places, factsMax, kept = { places: [], parts: [] }) {
      const asked = places.length === 0 ? [] : ask(places, { factsMax, acknowledges: false }).catch(() => []);
      const parts = Promise.resolve(asked).then((read) => [...kept.parts, ...read]);
      ahead = { places: [...kept.places, ...places], parts };
    },
  };

  async function ask(
    places: readonly FeedOffset[],
    how: { readonly factsMax: number; readonly acknowledges: boolean },
  ): Promise<readonly FeedPart[]> {
    const marks = places.map(({ organizationId, number, token, evidence }) => ({
      organizationId,
      number,
      token,
      evidence,
    }));
    const variables = { follower: FOLLOWER, places: marks, ...how };
    const { followPricedFeed } = await askGateway(
      gateway,
      DOCUMENT,
      variables,
      servicePrincipal(FOLLOWER, randomUuid()),
    );
    return followPricedFeed as readonly FeedPart[];
  }
}

/**
 * Parts that still follow `places`. Parts that were empty when read are left out: batches may have been published
 * since.
 */
function partsAfter(
  places: readonly FeedOffset[],
  expected: readonly FeedOffset[],
  parts: readonly FeedPart[],
): readonly FeedPart[] {
  const expectedOf = new Map(expected.map((place) => [place.organizationId, place]));
  const reached = new Set(
    places.filter((place) => isSame(place, expectedOf.get(place.organizationId))).map((place) => place.organizationId),
  );
  return parts.filter(({ organizationId, batches }) => batches.length > 0 && reached.has(organizationId));
}

function isSame(one: FeedOffset, other: FeedOffset | undefined): boolean {
  return isSameMark(one, other) && isSameMark(one.evidence, other?.evidence);
}

function isSameMark(one: FeedMark | null, other: FeedMark | null | undefined): boolean {
  return one?.number === other?.number && one?.token === other?.token;
}
