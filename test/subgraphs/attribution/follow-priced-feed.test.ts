import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aFact } from './a-fact.ts';
import { aWorld, type World } from './a-world.ts';

const MODELS = `query ($start: Instant!, $end: Instant!) { window(start: $start, end: $end) { costsByModel {
  totalCost items { modelSlug providerSlug totalCost inputTokens cacheReadInputTokens cacheReadCost reasoningCost eventCount percentOfTotal } } } }`;
const MARCH = { start: '2026-03-01', end: '2026-04-01' };

describe('the follower of the priced feed', () => {
  let world: World;
  const organizationId = randomUUID();
  beforeEach(async () => { world = await aWorld(); });
  afterEach(() => world.close());

  it('shows what was priced, by model', async () => {
    world.feed.publish(organizationId, [
      aFact({ totalCost: '0.1', cacheReadInputTokens: 0, cacheReadCost: '0' }),
      aFact({ totalCost: '0.2', cacheReadInputTokens: 7, cacheReadCost: '0.05', eventTime: '2026-03-11T00:00:00.000001Z' }),
      aFact({ modelSlug: 'o9', providerSlug: 'unknown', totalCost: '0.7' }),
    ]);
    await world.settle();
    expect(await world.ask(organizationId, MODELS, MARCH)).toEqual({ window: { costsByModel: {
      totalCost: '1',
      items: [
        { modelSlug: 'o9', providerSlug: 'unknown', totalCost: '0.7', inputTokens: 100, cacheReadInputTokens: null, cacheReadCost: null, reasoningCost: null, eventCount: 1, percentOfTotal: 70 },
        { modelSlug: 'gpt-5', providerSlug: 'openai', totalCost: '0.3', inputTokens: 200, cacheReadInputTokens: 7, cacheReadCost: '0.05', reasoningCost: null, eventCount: 2, percentOfTotal: 30 },
      ],
    } } });
    expect(await world.ask(randomUUID(), MODELS, MARCH)).toEqual({ window: { costsByModel: { totalCost: '0', items: [] } } });
  });
});
