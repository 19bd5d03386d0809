/**
 * Follows costing's feed through the gateway. Exactly once: what a batch changes and the place after it are one
 * transaction.
 */
import { askGateway } from '../../../platform/ask-gateway.ts';
import { elapsedMilliseconds } from '../../../platform/clock.ts';
import type { Job } from '../../../platform/job-loop.ts';
import { attributedFacts } from '../../../platform/metrics.ts';
import { servicePrincipal } from '../../../platform/principal.ts';
import { randomUuid } from '../../../platform/random.ts';
import type { SubgraphSurroundings } from '../../../platform/subgraph/subgraph.ts';
import type { PricedFeedPage } from '../../../schema/priced-feed.ts';
import { FACTS_PER_TRANSACTION, FEED_BATCHES_MAX, FEED_CHANNEL, FOLLOWER } from '../config.ts';
import { applyBatches } from '../data/apply-batches.ts';
import { noteCaughtUp, readPosition } from '../data/feed-position.ts';
import { groupBatches } from '../rules/group-batches.ts';

const REST_MILLISECONDS = 200;

/**
 * A batch is announced when it is committed and shows in the feed when no older transaction runs any more: moments later,
 * and without a further word. So the follower looks again often for as long as batches have been coming.
 */
const LIVELY_MILLISECONDS = 1_000;
const DOCUMENT = `query PricedFeed($follower: String!, $position: JSON, $batchesMax: Int!) {
  pricedFeed(follower: $follower, position: $position, batchesMax: $batchesMax)
}`;

export function followPricedFeed({ database, gateway }: Pick<SubgraphSurroundings, 'database' | 'gateway'>): Job {
  let lively = Number.NEGATIVE_INFINITY;
  return {
    name: 'follow-priced-feed',
    channel: FEED_CHANNEL,
    restMilliseconds: REST_MILLISECONDS,
    async step() {
      const asked = elapsedMilliseconds();
      const standing = await database.acrossOrganizations(readPosition);
      const page = await askForPage(standing?.position ?? null);
      let after = standing?.position ?? null;
      let left = page.batches.length;
      for (const batches of groupBatches(page.batches, FACTS_PER_TRANSACTION)) {
        left -= batches.length;
        const batchesBehind = left + (page.more ? 1 : 0);
        const applied = await database.acrossOrganizations((em) => applyBatches(em, { batches, after, batchesBehind }));
        if (!applied) return 'more';
        attributedFacts.inc(batches.reduce((facts, batch) => facts + batch.facts.length, 0));
        after = batches.at(-1)?.position ?? after;
      }
      if (page.batches.length > 0) {
        lively = asked;
        return 'more';
      }
      if (standing && standing.batchesBehind > 0) await database.acrossOrganizations(noteCaughtUp);
      return asked - lively < LIVELY_MILLISECONDS ? 'soon' : 'idle';
    },
  };

  async function askForPage(position: unknown): Promise<PricedFeedPage> {
    const variables = { follower: FOLLOWER, position, batchesMax: FEED_BATCHES_MAX };
    const principal = servicePrincipal(FOLLOWER, randomUuid());
    const { pricedFeed } = await askGateway<{ pricedFeed: PricedFeedPage }>(gateway, DOCUMENT, variables, principal);
    return pricedFeed;
  }
}
