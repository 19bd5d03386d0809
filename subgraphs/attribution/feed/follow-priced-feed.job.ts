/**
 * Follows costing's feed through the gateway. Exactly once: a fact that comes again changes nothing, and the place after a page moves
 * with the last of it.
 */
import { askGateway } from '../../../platform/ask-gateway.ts';
import { elapsedMilliseconds } from '../../../platform/clock.ts';
import type { Job } from '../../../platform/job-loop.ts';
import { counter } from '../../../platform/metrics.ts';
import { servicePrincipal } from '../../../platform/principal.ts';
import { randomUuid } from '../../../platform/random.ts';
import type { SubgraphDependencies } from '../../../platform/subgraph/subgraph.ts';
import { graphql } from '../../../schema/graphql.ts';
import type { PricedFeedPage } from '../../../schema/priced-feed.ts';
import { FACTS_PER_TRANSACTION, FEED_BATCHES_MAX, FEED_CHANNEL, FOLLOWER, PAIRS_PER_TRANSACTION } from '../config.ts';
import { applyPortions } from './apply-portions.step.ts';
import { recordCaughtUp, readPosition } from './feed-position.table.ts';
import { countRollupKeys } from '../rollups/rollup-key.table.ts';
import { BUILT_IN_KEYS } from '../measures/rollup-keys.ts';
import { planSlices, type SliceBounds } from '../rollups/plan-slices.ts';

const attributedFacts = counter('cost_facts_attributed_total', 'Facts that attribution has applied.');

const REST_MILLISECONDS = 200;

/**
 * A batch is announced when it is committed and shows in the feed when no older transaction runs any more: moments later,
 * and without a further word. So the follower looks again often for as long as batches have been coming.
 */
const LIVELY_MILLISECONDS = 1_000;
const DOCUMENT = graphql(`query PricedFeed($follower: String!, $position: JSON, $batchesMax: Int!) {
  pricedFeed(follower: $follower, position: $position, batchesMax: $batchesMax)
}`);

const BOUNDS: SliceBounds = { factsMax: FACTS_PER_TRANSACTION, pairsMax: PAIRS_PER_TRANSACTION };

export function followPricedFeed(
  { database, gateway }: Pick<SubgraphDependencies, 'database' | 'gateway'>,
  bounds: SliceBounds = BOUNDS,
): Job {
  let lively = Number.NEGATIVE_INFINITY;
  return {
    name: 'follow-priced-feed',
    channel: FEED_CHANNEL,
    restMilliseconds: REST_MILLISECONDS,
    async step() {
      const elapsedBefore = elapsedMilliseconds();
      const standing = await database.acrossOrganizations(readPosition);
      const page = await requestPage(standing?.position ?? null);
      const after = standing?.position ?? null;
      const keys = await database.acrossOrganizations((em) =>
        countRollupKeys(
          em,
          page.batches.map(({ organizationId }) => organizationId),
        ),
      );
      const slices = planSlices(
        page.batches,
        (organizationId) => keys.get(organizationId) ?? BUILT_IN_KEYS.length,
        bounds,
      );
      for (const [index, portions] of slices.entries()) {
        // Until the page is through the follower stands where it did: facts that come again change nothing.
        const isLast = index === slices.length - 1;
        const position = isLast ? page.batches.at(-1)?.position : after;
        const batchesBehind = (isLast ? 0 : page.batches.length) + (page.more ? 1 : 0);
        const applied = await database.acrossOrganizations((em) =>
          applyPortions(em, { portions, after, position, batchesBehind }),
        );
        if (!applied) return 'more';
        attributedFacts.inc(portions.reduce((facts, portion) => facts + portion.facts.length, 0));
      }
      if (page.batches.length > 0) {
        lively = elapsedBefore;
        return 'more';
      }
      if (standing && standing.batchesBehind > 0) await database.acrossOrganizations(recordCaughtUp);
      return elapsedBefore - lively < LIVELY_MILLISECONDS ? 'soon' : 'idle';
    },
  };

  async function requestPage(position: unknown): Promise<PricedFeedPage> {
    const variables = { follower: FOLLOWER, position, batchesMax: FEED_BATCHES_MAX };
    const principal = servicePrincipal(FOLLOWER, randomUuid());
    const { pricedFeed } = await askGateway(gateway, DOCUMENT, variables, principal);
    return pricedFeed as PricedFeedPage;
  }
}
