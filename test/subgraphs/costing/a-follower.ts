/** A consumer of the feed that stores what it receives, as attribution does. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { CostFact, FeedOffset, PricedBatch, ReplayCursor } from '#schema/priced-feed.ts';
import { getLedgerPage } from '../../../subgraphs/costing/feed/get-ledger-page.operation.ts';
import { followPricedFeed } from '../../../subgraphs/costing/feed/follow-priced-feed.operation.ts';
import { acknowledgeFeeds } from '../../../subgraphs/costing/feed/acknowledge-feeds.operation.ts';

export interface Follower {
  readonly places: Map<string, FeedOffset>;
  /** Every received fact, in order. */
  readonly facts: CostFact[];
  readonly endUsers: string[];
  /** Number of replays of the ledger. */
  replays: number;
  /** Reads all pending batches and acknowledges them. Returns the batches. */
  follow(): Promise<PricedBatch[]>;
}

/** Starts at the beginning of the feed. */
export function aFollower(context: SubgraphContext, name = 'f', factsMax = 4_000): Follower {
  const follower: Follower = { places: new Map(), facts: [], endUsers: [], replays: 0, follow };
  return follower;

  async function follow(): Promise<PricedBatch[]> {
    const taken: PricedBatch[] = [];
    for (;;) {
      const acknowledged = [...follower.places.values()];
      const waiting = await acknowledgeFeeds(context, { follower: name, acknowledged, max: 500 });
      const places = waiting.map(
        (organizationId): FeedOffset =>
          follower.places.get(organizationId) ?? { organizationId, number: 0, token: null, evidence: null },
      );
      if (places.length === 0) return taken;
      for (const part of await followPricedFeed(context, { follower: name, places, factsMax })) {
        const { organizationId, batches, isKnown, head } = part;
        const last = isKnown ? batches.at(-1) : (head ?? { number: 0, token: null });
        if (!isKnown) await replay(organizationId);
        taken.push(...batches);
        for (const batch of batches) take(batch.facts, batch.endUsers);
        if (last) {
          const { number, token } = last;
          follower.places.set(organizationId, { organizationId, number, token, evidence: null });
        }
      }
    }
  }

  async function replay(organizationId: string): Promise<void> {
    follower.replays += 1;
    let cursor: ReplayCursor | null = {
      phase: 'entries',
      eventId: '00000000-0000-0000-0000-000000000000',
      sequence: -1,
    };
    while (cursor) {
      const page = await getLedgerPage(context, { organizationId, cursor });
      take(page.facts, page.endUsers);
      cursor = page.next;
    }
  }

  function take(facts: readonly CostFact[], endUsers: PricedBatch['endUsers']): void {
    follower.facts.push(...facts);
    follower.endUsers.push(...endUsers.map(({ externalId }) => externalId));
  }
}
