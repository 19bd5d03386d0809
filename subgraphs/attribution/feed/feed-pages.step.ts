/** Pages of costing's feed, through the gateway. What follows a page can be read while its facts go in: neither waits for the other. */
import { askGateway } from '../../../platform/ask-gateway.ts';
import { servicePrincipal } from '../../../platform/principal.ts';
import { randomUuid } from '../../../platform/random.ts';
import type { SubgraphDependencies } from '../../../platform/subgraph/subgraph.ts';
import { graphql } from '../../../schema/graphql.ts';
import type { FeedPart, FeedPlace } from '../../../schema/priced-feed.ts';
import { FOLLOWER } from '../config.ts';

const DOCUMENT = graphql(`query PricedFeed($follower: String!, $places: JSON!, $factsMax: Int!) {
  pricedFeed(follower: $follower, places: $places, factsMax: $factsMax)
}`);

export interface FeedPages {
  /** What follows these places; some of it may have been read ahead. */
  read(places: readonly FeedPlace[], factsMax: number): Promise<readonly FeedPart[]>;
  /** Of places that are about to be reached. What was read ahead before is forgotten. */
  readAhead(places: readonly FeedPlace[], factsMax: number): void;
}

interface Ahead {
  readonly places: ReadonlyMap<string, FeedPlace>;
  readonly parts: Promise<readonly FeedPart[]>;
}

export function feedPages({ gateway }: Pick<SubgraphDependencies, 'gateway'>): FeedPages {
  let ahead: Ahead | null = null;
  const ask = async (places: readonly FeedPlace[], factsMax: number): Promise<readonly FeedPart[]> => {
    const marks = places.map(({ organizationId, number, token, evidence }) => ({
      organizationId,
      number,
      token,
      evidence,
    }));
    const variables = { follower: FOLLOWER, places: marks, factsMax };
    const { pricedFeed } = await askGateway(gateway, DOCUMENT, variables, servicePrincipal(FOLLOWER, randomUuid()));
    return pricedFeed as readonly FeedPart[];
  };
  return {
    async read(places, factsMax) {
      const seen = ahead;
      ahead = null;
      const known = new Map<string, FeedPart>();
      // Where nothing followed then, something may by now.
      for (const part of (await seen?.parts) ?? []) if (part.batches.length > 0) known.set(part.organizationId, part);
      const isSeen = (place: FeedPlace) =>
        known.has(place.organizationId) && isSame(place, seen?.places.get(place.organizationId));
      const rest = places.filter((place) => !isSeen(place));
      return [
        ...places.filter(isSeen).map(({ organizationId }) => known.get(organizationId)!),
        ...(rest.length > 0 ? await ask(rest, factsMax) : []),
      ];
    },
    readAhead(places, factsMax) {
      ahead = {
        places: new Map(places.map((place) => [place.organizationId, place])),
        parts: places.length > 0 ? ask(places, factsMax).catch(() => []) : Promise.resolve([]),
      };
    },
  };
}

/** Batches before which this process has put others, or a restored database has, are none of the place's. */
function isSame(one: FeedPlace, other: FeedPlace | undefined): boolean {
  return (
    other !== undefined &&
    one.number === other.number &&
    one.token === other.token &&
    one.evidence?.number === other.evidence?.number &&
    one.evidence?.token === other.evidence?.token
  );
}
