/** The share of input that was read from a cache, counted by hand from the charges of a few events. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { aFact } from '../a-fact.ts';
import { type Attribution, startAttribution } from '../attribution-builder.ts';

let world: Attribution;
beforeAll(async () => {
  world = await startAttribution();
});
afterAll(() => world.close());

const COSTS = `query ($end: Instant!, $filter: CostFilter, $groupBy: [CostKey!]!) {
  window(start: "2026-03-10", end: $end) { costs(filter: $filter, groupBy: $groupBy) {
    nodes { values { value } cachedInput { input cached percent } } cachedInput { input cached percent }
  } }
}`;
type Cached = { readonly input: number; readonly cached: number; readonly percent: number } | null;
interface Answer {
  readonly window: {
    readonly costs: {
      readonly nodes: readonly {
        readonly values: readonly { readonly value: string }[];
        readonly cachedInput: Cached;
      }[];
      readonly cachedInput: Cached;
    };
  };
}

const at = (day: number) => `2026-03-${day}T10:30:00.000Z`;
const FACTS = [
  aFact({
    ...{ eventTime: at(10), modelSlug: 'claude', providerSlug: 'anthropic', providerName: 'Anthropic' },
    ...{ endUserExternalId: 'ann', dimensions: { agent_id: 'a' }, totalCost: '8', cacheReadInputTokens: 300 },
    charges: [
      ['input', '100', '3'],
      ['cache_creation', '50', '2'],
      ['cache_creation_1h', '50', '1'],
      ['cache_read', '300', '1'],
      ['output', '40', '1'],
    ],
  }),
  // Reports that it read nothing from a cache.
  aFact({
    ...{ eventTime: at(11), modelSlug: 'gpt', dimensions: { agent_id: 'b' }, totalCost: '4', cacheReadInputTokens: 0 },
    charges: [['input', '880', '4']],
  }),
  // Reports no cached tokens.
  aFact({
    ...{ eventTime: at(11), modelSlug: 'embed', dimensions: { agent_id: 'a' }, totalCost: '2' },
    charges: [['input', '5000', '2']],
  }),
  // The catalogue does not know the provider.
  aFact({
    ...{ eventTime: at(12), modelSlug: 'house', providerId: 'acme', providerSlug: 'unknown', providerName: 'Acme' },
    ...{ dimensions: { agent_id: 'a' }, totalCost: '1', cacheReadInputTokens: 30 },
    charges: [
      ['input', '80', '0.6'],
      ['input_audio', '10', '0.2'],
      ['cache_read', '20', '0.1'],
      ['cache_read_audio', '10', '0.1'],
    ],
  }),
];
const [CLAUDE, GPT, HOUSE] = ['500 300 60', '880 0 0', '120 30 25'];

it.each<[string, object, string | null, Record<string, string | null>]>([
  ['by model', { groupBy: ['MODEL'] }, '1500 330 22', { claude: CLAUDE!, gpt: GPT!, embed: null, house: HOUSE! }],
  ['by provider', { groupBy: ['PROVIDER'] }, '1500 330 22', { anthropic: CLAUDE!, openai: GPT!, unknown: HOUSE! }],
  ['by agent', { groupBy: ['AGENT'] }, '1500 330 22', { a: '620 330 53.23', b: GPT! }],
  ['of a provider', { groupBy: ['MODEL'], filter: { provider: 'openai' } }, GPT!, { gpt: GPT!, embed: null }],
  ['of an agent', { groupBy: ['MODEL'], filter: { agent: 'b' } }, GPT!, { gpt: GPT! }],
  ['of an end user', { groupBy: ['MODEL'], filter: { endUser: 'ann' } }, CLAUDE!, { claude: CLAUDE! }],
  [
    'of a part of the days',
    { groupBy: ['MODEL'], end: '2026-03-11T12:00:00Z' },
    '1380 300 21.74',
    { claude: CLAUDE!, gpt: GPT!, embed: null },
  ],
  ['of a model without a cache', { groupBy: ['MODEL'], filter: { model: 'embed' } }, null, { embed: null }],
])('cached input %s', async (_, input, total, groups) => {
  const organizationId = randomUUID();
  world.feed.publish(
    organizationId,
    FACTS.map((fact) => ({ ...fact, eventId: randomUUID() })),
    [{ externalId: 'ann', firstSeenAt: at(10) }],
  );
  const shown = (cached: Cached) =>
    cached === null ? null : `${cached.input} ${cached.cached} ${Number(cached.percent.toFixed(2))}`;
  const answer = async () => {
    const { costs } = (await world.ask<Answer>(organizationId, COSTS, { end: '2026-03-13', ...input })).window;
    return [
      shown(costs.cachedInput),
      Object.fromEntries(costs.nodes.map(({ values, cachedInput }) => [values[0]?.value, shown(cachedInput)])),
    ];
  };
  // The result is the same before and after the days are summed.
  await world.follow();
  expect(await answer()).toEqual([total, groups]);
  await world.settle();
  expect(await answer()).toEqual([total, groups]);
});
