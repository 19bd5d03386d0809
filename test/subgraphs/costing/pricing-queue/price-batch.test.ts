import { expect, it } from 'vitest';
import { money } from '#kernel/money.ts';
import type { PriceableEvent } from '../../../../subgraphs/costing/pricing/priceable-event.query.ts';
import type { ResolvedRate } from '../../../../subgraphs/costing/rates/resolved-rate.ts';
import { eventDimensions } from '../../../../subgraphs/costing/events/event-dimensions.ts';
import { NO_RATES } from '../../../../subgraphs/costing/rates/rate-card-version.ts';
import { priceBatch } from '../../../../subgraphs/costing/pricing-queue/price-batch.ts';
import { providerIdentity } from '../../../../subgraphs/costing/rates/matching/provider-identity.ts';

const event = (id: string, more: Partial<PriceableEvent> = {}): PriceableEvent => ({
  id,
  livemode: true,
  model: 'm',
  provider: null,
  endUserExternalId: 'kim',
  inputTokens: 1_000_000,
  outputTokens: 0,
  cacheCreationInputTokens: null,
  cacheReadInputTokens: null,
  reasoningTokens: null,
  costOverride: null,
  units: null,
  metadata: null,
  providerUsage: null,
  eventTime: '2026-01-01T00:00:00.000000Z',
  eventTimeMs: Date.UTC(2026, 0, 1),
  feature: null,
  agentId: null,
  workflowId: null,
  experimentId: null,
  variant: null,
  sessionId: null,
  sessionType: null,
  spanId: null,
  parentSpanId: null,
  ...more,
});

const rate = (version: object): ResolvedRate => ({
  provider: null,
  match: {
    rule: 'as sent',
    discounts: [],
    card: {
      id: 'card',
      organizationId: null,
      providerSlug: 'openai',
      modelSlug: 'm',
      matchKind: 'catalogue',
      names: ['m'],
      versions: [],
    },
    version: {
      id: 'v',
      fromMs: null,
      toMs: null,
      version: { tiers: [], unitPrices: {}, perUnit: null, perUnitName: null, rates: NO_RATES, ...version },
    },
  },
});

it('an event for which a rule throws is put aside; the others are priced, and its end user is still recorded', () => {
  const broken = rate({ tiers: null });
  const fine = rate({ rates: { ...NO_RATES, input: money('2'), output: money('1') } });
  const outcome = priceBatch([event('a'), event('b', { endUserExternalId: 'lee' }), event('c')], [fine, broken, fine]);
  expect(outcome.errors.map(({ event: { id }, reason }) => [id, reason])).toEqual([
    ['b', expect.stringContaining('null')],
  ]);
  expect(outcome.facts.map(({ eventId, totalCost, providerName }) => [eventId, totalCost, providerName])).toEqual([
    ['a', '2', 'OpenAI'],
    ['c', '2', 'OpenAI'],
  ]);
  expect(outcome.endUsers.map(({ externalId }) => externalId)).toEqual(['kim', 'lee']);
  expect(outcome.hours).toHaveLength(2);
});

it('dimensions are scalar metadata and mapped keys, which take precedence', () => {
  const metadata = {
    a: 'x',
    n: 1.5,
    on: false,
    none: null,
    list: [1],
    object: {},
    feature: 'from metadata',
    ['__proto__']: 'own',
    long: 'l'.repeat(256),
  };
  expect({ ...eventDimensions(event('a', { metadata, feature: 'mapped', experimentId: 'e' })) }).toEqual({
    a: 'x',
    n: '1.5',
    on: 'false',
    feature: 'mapped',
    experiment_id: 'e',
    ['__proto__']: 'own',
  });
});

it.each([
  ['as reported', 'OpenAI', 'openai', null, { id: 'openai', slug: 'openai', name: 'OpenAI' }],
  ['inferred from the card', null, null, 'anthropic', { id: 'anthropic', slug: 'anthropic', name: 'Anthropic' }],
  [
    'reported and known to nobody',
    'my-gateway',
    'unknown',
    null,
    { id: 'unknown', slug: 'unknown', name: 'my-gateway' },
  ],
  ['not known at all', null, null, null, { id: 'unknown', slug: 'unknown', name: 'unknown' }],
])('a provider that is %s', (_, reported, canonical, ofCard, identity) => {
  expect(providerIdentity(reported, canonical, ofCard)).toEqual(identity);
});
