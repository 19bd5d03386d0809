import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { makeSubgraph, type SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { inProcessSubgraph } from '#platform/transports/in-process-subgraph.ts';
import { costing } from '../../../../subgraphs/costing/main.ts';
import { call, log, type Costing, startCosting } from '../costing-builder.ts';

let pricing: Costing;
beforeAll(async () => {
  pricing = await startCosting();
});
afterAll(() => pricing.close());

async function ask(
  context: SubgraphContext,
  document: string,
  variables: Record<string, unknown>,
  ...grants: string[]
): Promise<unknown> {
  const dependencies = { database: pricing.database, log } as SubgraphDependencies;
  return inProcessSubgraph(makeSubgraph(costing, dependencies)).execute(document, variables, {
    ...context.principal,
    grants,
  });
}

it('a rate is set, an event is priced, and its cost is summed, explained, matched, published and audited', async () => {
  const SET =
    'mutation ($input: RateSetInput!) { rateSet(input: $input) { rate { rateCardId modelSlug effectiveFrom requeuedEvents } userErrors { message code } } }';
  const input = { model: 'acme', input: '1.5', output: '2.50', tiers: [{ aboveInputTokens: 2000, input: '3' }] };
  expect(await ask(pricing.global, SET, { input }, 'operator')).toEqual({
    data: {
      rateSet: {
        rate: { rateCardId: expect.any(String), modelSlug: 'acme', effectiveFrom: null, requeuedEvents: 0 },
        userErrors: [],
      },
    },
  });
  expect(await ask(pricing.live, SET, { input }, 'costs:read')).toMatchObject({
    errors: [{ extensions: { code: 'FORBIDDEN' } }],
  });

  const time = new Date(Date.now() - 60_000);
  const [id] = await pricing.send([call({ event_invoked_at: time.toISOString() })]);
  await pricing.settle();
  const READ = `query ($id: ID!, $start: Instant!, $end: Instant!) {
    costSummary(timeWindow: LAST_7_DAYS) { currentPeriodCost previousPeriodCost changePercent eventCount statusCounts { completed } }
    window(start: $start, end: $end) { ledgerCost }
    costExplanation(eventId: $id) { status totalCost entries { sequence cause modelSlug lines { class quantity rate per cost } } }
    rateMatch(model: "acme-2") { modelSlug rule inputCostPerMillion cacheReadCostPerMillion unitPrices { name price } tiers { aboveInputTokens prices { name price } } effectiveFrom }
    rateEstimationTable { modelSlug inputCostPerMillion outputCostPerMillion reasoningCostPerMillion }
  }`;
  const variables = {
    id,
    start: new Date(time.getTime()).toISOString(),
    end: new Date(time.getTime() + 1).toISOString(),
  };
  expect(await ask(pricing.live, READ, variables, 'costs:read')).toEqual({
    data: {
      costSummary: {
        currentPeriodCost: '0.00175',
        previousPeriodCost: '0',
        changePercent: 100,
        eventCount: 1,
        statusCounts: { completed: 1 },
      },
      window: { ledgerCost: '0.00175' },
      costExplanation: {
        status: 'COMPLETED',
        totalCost: '0.00175',
        entries: [
          {
            sequence: 0,
            cause: 'PRICED',
            modelSlug: 'acme',
            lines: [
              { class: 'input', quantity: '1000', rate: '1.5', per: 'million_tokens', cost: '0.0015' },
              { class: 'output', quantity: '100', rate: '2.5', per: 'million_tokens', cost: '0.00025' },
            ],
          },
        ],
      },
      rateMatch: {
        modelSlug: 'acme',
        rule: 'matched "acme" as longest prefix of "acme-2" as sent',
        inputCostPerMillion: '1.5',
        cacheReadCostPerMillion: '1.5',
        unitPrices: [],
        effectiveFrom: null,
        tiers: [{ aboveInputTokens: 2000, prices: [{ name: 'input', price: '3' }] }],
      },
      rateEstimationTable: [
        { modelSlug: 'acme', inputCostPerMillion: '1.5', outputCostPerMillion: '2.5', reasoningCostPerMillion: '2.5' },
      ],
    },
  });

  expect(
    await ask(
      pricing.global,
      'mutation ($places: JSON!) { acknowledgeFeeds(follower: "f") followPricedFeed(follower: "f", places: $places) }',
      { places: [{ organizationId: pricing.organizationId, number: 0, token: null }] },
      'feed:read',
    ),
  ).toMatchObject({
    data: {
      acknowledgeFeeds: [pricing.organizationId],
      followPricedFeed: [{ batches: [{ facts: [{ eventId: id }] }] }],
    },
  });
  expect(await ask(pricing.global, '{ pricingBacklog { pendingEvents feedLag } }', {}, 'backlog:read')).toMatchObject({
    data: { pricingBacklog: { pendingEvents: 0 } },
  });
  for (const document of [
    'mutation { acknowledgeFeeds(follower: "f") }',
    'mutation { followPricedFeed(follower: "f", places: []) }',
    '{ feedMarks(follower: "f") }',
    `{ ledgerPage(organizationId: "${pricing.organizationId}", cursor: {}) }`,
  ])
    expect(await ask(pricing.live, document, {}, 'costs:read', 'operator')).toMatchObject({
      errors: [{ extensions: { code: 'FORBIDDEN' } }],
    });
  const VERIFY = '{ verifyCosting { check checked differences } }';
  const { data } = (await ask(pricing.global, VERIFY, {}, 'operator')) as {
    data: { verifyCosting: { differences: string[] }[] };
  };
  expect(data.verifyCosting.flatMap(({ differences }) => differences)).toEqual([]);
});
