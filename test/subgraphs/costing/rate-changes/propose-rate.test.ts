import { afterEach, beforeEach, expect, it } from 'vitest';
import { endRate } from '../../../../subgraphs/costing/rate-changes/end-rate.operation.ts';
import { listModelAliases } from '../../../../subgraphs/costing/rate-changes/list-model-aliases.operation.ts';
import { proposeModelAlias } from '../../../../subgraphs/costing/rate-changes/propose-model-alias.operation.ts';
import { proposeRate } from '../../../../subgraphs/costing/rate-changes/propose-rate.operation.ts';
import { setModelAlias } from '../../../../subgraphs/costing/rate-changes/set-model-alias.operation.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { listNegotiatedRates } from '../../../../subgraphs/costing/rates/list-negotiated-rates.operation.ts';
import { matchRate } from '../../../../subgraphs/costing/rates/match-rate.operation.ts';
import { call, type Costing, startCosting } from '../costing-builder.ts';

let pricing: Costing;
beforeEach(async () => {
  pricing = await startCosting();
});
afterEach(() => pricing.close());

it('a proposed rate shows to the last digit what it will settle, and changes nothing itself', async () => {
  await pricing.send([
    call({ model: 'acme-1-large', input_tokens: 1_000, output_tokens: 100 }),
    call({ model: 'acme-1-large', input_tokens: 333, output_tokens: 7 }),
    call({ model: 'acme-1-small', input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 5 }),
    call({ model: 'other', input_tokens: 10, output_tokens: 1 }),
  ]);
  await pricing.send([call({ model: 'acme-1-large' })], pricing.test);
  await pricing.send([call({ model: 'acme-1-large' })], pricing.stranger);
  await pricing.settle();
  const input = { model: 'acme-1', input: '3.5', output: '14' };
  const before = await pricing.rows('select * from rate_card');
  const proposal = await proposeRate(pricing.operator, input);
  expect(proposal).toEqual({
    events: 3,
    settledEvents: 3,
    totalCost: '0.0062125',
    isComplete: true,
    models: [
      { model: 'acme-1-large', provider: null, events: 2, settledEvents: 2, totalCost: '0.0061635', reason: null },
      expect.objectContaining({ model: 'acme-1-small', settledEvents: 1, totalCost: '0.000049' }),
    ],
  });
  expect(await pricing.rows('select * from rate_card')).toEqual(before);
  expect(await matchRate(pricing.operator, { model: 'acme-1-large' })).toBeNull();
  expect((await pricing.counts()).pendingRateCard).toBe(4);

  // The test event is settled too, but is not in any figure.
  expect((await setRate(pricing.operator, input)).requeuedEvents).toBe(4);
  await pricing.settle();
  const [ledger] = await pricing.rows(
    'select trim_scale(sum(total_cost))::text as total from cost_entry where livemode and organization_id = $1',
    [pricing.organizationId],
  );
  expect(ledger).toEqual({ total: proposal.totalCost });
  expect((await proposeRate(pricing.operator, input)).events).toBe(0);
  await expect(proposeRate(pricing.operator, { model: 'x' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});

it('a proposed rate per unit shows which events would still wait, and why', async () => {
  await pricing.send([call({ model: 'scan' }), call({ model: 'scan', units: 4 } as never)]);
  await pricing.settle();
  expect(await proposeRate(pricing.operator, { model: 'scan', unitPrice: '0.25' })).toMatchObject({
    events: 2,
    models: [{ reason: 'The model is priced per unit and the event has no units' }],
  });
});

it('a proposed rate shows events of one model by provider, those with the most events first', async () => {
  const sent = (provider?: string) =>
    call({ model: 'acme-1', input_tokens: 1, output_tokens: 1, ...(provider && { provider }) } as never);
  await pricing.send([sent(), sent('unheard-of'), sent('unheard-of')]);
  await pricing.settle();
  expect(await proposeRate(pricing.operator, { model: 'acme-1', input: '1', output: '1' })).toMatchObject({
    events: 3,
    models: [
      { model: 'acme-1', provider: 'unheard-of', events: 2, totalCost: '0.000004' },
      { model: 'acme-1', provider: null, events: 1, totalCost: '0.000002' },
    ],
  });
});

it('model aliases are listed with the standard ones, which are marked', async () => {
  await setModelAlias(pricing.operator, { name: 'ours', provider: 'openai', model: 'gpt-4o' });
  await setModelAlias(pricing.global, { name: 'everyones', model: 'gpt-4o' });
  const listed = async (context: typeof pricing.operator) =>
    (await listModelAliases(context)).map(({ name, provider, isStandard }) => [name, provider, isStandard]);
  expect((await listed(pricing.operator)).toSorted()).toEqual([
    ['everyones', null, true],
    ['ours', 'openai', false],
  ]);
  expect(await listed(pricing.global)).toEqual([['everyones', null, true]]);
});

it('a proposed model alias shows what it would settle', async () => {
  await setRate(pricing.operator, { model: 'known', input: '1', output: '2' });
  await pricing.send([call({ model: 'our-deployment', input_tokens: 1_000_000, output_tokens: 0 })]);
  await pricing.settle();
  const alias = { name: 'our-deployment', model: 'known' };
  expect(await proposeModelAlias(pricing.operator, alias)).toMatchObject({ settledEvents: 1, totalCost: '1' });
  expect(await proposeModelAlias(pricing.operator, { ...alias, model: 'nothing' })).toMatchObject({ events: 0 });
  expect(await pricing.rows('select name from model_alias')).toEqual([]);
  expect((await setModelAlias(pricing.operator, alias)).requeuedEvents).toBe(1);
});

it('a rate of the organization takes precedence over the standard rate from its start until its end, and is listed with both', async () => {
  await setRate(pricing.global, { model: 'shared', input: '10', output: '20' });
  const { rateCardId } = await setRate(pricing.operator, {
    model: 'shared',
    input: '8',
    output: '16',
    effectiveFrom: '2026-03-01T00:00:00Z',
  });
  await setRate(pricing.operator, { model: 'shared', input: '7', output: '14', effectiveFrom: '2126-01-01T00:00:00Z' });
  const at = async (instant: string) =>
    String((await matchRate(pricing.operator, { model: 'shared', at: instant }))?.inputCostPerMillion);
  expect([await at('2026-02-01'), await at('2026-04-01'), await at('2126-02-01')]).toEqual(['10', '8', '7']);
  await endRate(pricing.operator, { rateCardId, at: '2026-05-01T00:00:00Z' });
  expect([await at('2026-04-01'), await at('2026-06-01'), await at('2126-02-01')]).toEqual(['8', '10', '10']);
  expect(await listNegotiatedRates(pricing.operator)).toEqual([
    {
      rateCardId,
      modelSlug: 'shared',
      providerSlug: null,
      isInForce: false,
      versions: [
        {
          id: expect.any(String),
          contexts: [],
          tiers: [],
          effectiveFrom: new Date('2026-03-01T00:00:00Z'),
          effectiveTo: new Date('2026-05-01T00:00:00Z'),
          unit: 'per million tokens',
          prices: [
            { name: 'input', price: '8' },
            { name: 'output', price: '16' },
          ],
        },
      ],
    },
  ]);
  const stranger = {
    ...pricing.operator,
    principal: { ...pricing.operator.principal, organizationId: pricing.stranger.principal.organizationId },
  };
  await expect(endRate(stranger, { rateCardId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await listNegotiatedRates(stranger)).toEqual([]);
});
