/** Bounds of inputs as the descriptions of the graph state them: the last value is accepted, and the next is refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graphql } from '../support/api-client.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service.stop());

type Input = Readonly<Record<string, unknown>>;

/** The messages of the refusal; empty if the input is accepted. */
async function refusals(mutation: string, input: Input): Promise<string[]> {
  const { url, firstRun } = service;
  const type = `${mutation[0]!.toUpperCase()}${mutation.slice(1)}Input!`;
  const document = `mutation ($input: ${type}) { result: ${mutation}(input: $input) { userErrors { message code } } }`;
  const { body } = await graphql(url, firstRun.operator_token, document, { input }, firstRun.organization_id);
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data.result.userErrors.map(({ message, code }: Record<string, string>) => {
    expect(code, message).toBe('VALIDATION_ERROR');
    return message;
  });
}

const text = (length: number) => 'x'.repeat(length);
const names = (count: number) => Array.from({ length: count }, (_, index) => `name-${index}`);
const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
const from = '2026-03-01';

const AGREEMENT = { provider: 'openai', name: 'a', from, discounts: [{ percent: '1' }] };
const COMMITMENT = { provider: 'openai', name: 'c', from, period: 'MONTH', amount: '1', currency: 'USD' };
const CREDIT = { provider: 'openai', name: 'c', kind: 'CREDIT', from, amount: '1', currency: 'USD' };
const PERIOD = { from, until: '2026-03-02', amount: '1', currency: 'USD', per: 'DAY', quantity: '1' };
const FIXED = { key: 'k', name: 'f', driver: 'NONE', replacesModelCost: false, periods: [PERIOD] };
const SHARES = { ...FIXED, driver: 'SHARES' };
const TOKENS = { ...FIXED, driver: 'TOKENS' };
const BUDGET = { kind: 'BUDGET', name: 'b', amount: '5', period: 'MONTH' };
const THRESHOLD = { kind: 'THRESHOLD', name: 't', metric: 'COST', comparator: 'ABOVE', value: '5' };
const RATE = { model: 'own-model', input: '1', output: '2' };
const ADJUSTMENT = { provider: 'openai', amount: '1', day: from, note: 'n' };
const VIEW = { name: 'v', path: '/', isShared: true };
const SPEND = { idempotencyKey: 'h', spend: { amount: '1' } };

const discount = (percent: string) => ({ discounts: [{ percent }] });
const models = (count: number) => ({ models: names(count) });
const periods = (count: number) => ({
  periods: Array.from({ length: count }, (_, index) => ({ ...PERIOD, from: day(index + 1), until: day(index) })),
});
const since = (daysAgo: number) => ({ periods: [{ ...PERIOD, from: day(daysAgo), until: undefined }] });
const perDay = (amount: string) => ({ periods: [{ ...PERIOD, amount }] });
const share = (...percents: string[]) => ({
  shares: percents.map((percent, index) => ({ endUser: `u${index}`, percent })),
});
const weight = (value: string) => ({ weights: [{ class: 'cache_read', weight: value }] });
const scope = (of: Input) => ({ scope: of });
const tiers = (count: number) => ({
  tiers: Array.from({ length: count }, (_, index) => ({ aboveInputTokens: index + 1, input: '1' })),
});
const contexts = (count: number) => ({
  contexts: Array.from({ length: count }, (_, index) => ({
    context: `region=r${index}`,
    class: 'all',
    aboveInputTokens: 0,
    factor: '2',
  })),
});
const unitPrices = (count: number) => ({
  unitPrices: names(count).map((name) => ({ name: name.replace('-', '_'), price: '1' })),
});

/** Of each input: a valid one, and changes of it that are accepted, and refused. */
const BOUNDS: Readonly<
  Record<string, readonly [mutation: string, base: Input, valid: readonly Input[], invalid: readonly Input[]]>
> = {
  'name of an agreement': ['agreementSave', AGREEMENT, [{ name: text(255) }], [{ name: '' }, { name: text(256) }]],
  'discounts of an agreement': [
    'agreementSave',
    AGREEMENT,
    [{ discounts: names(20).map((name) => ({ percent: '1', models: [name] })) }],
    [{ discounts: [] }, { discounts: names(21).map((name) => ({ percent: '1', models: [name] })) }],
  ],
  'percent of a discount': [
    'agreementSave',
    AGREEMENT,
    [discount('0.0001'), discount('100')],
    [discount('0'), discount('100.0001'), discount('1.00001'), discount('-1')],
  ],
  'models of a discount': [
    'agreementSave',
    AGREEMENT,
    [{ discounts: [{ percent: '1', ...models(100) }] }],
    [{ discounts: [{ percent: '1', ...models(101) }] }],
  ],
  'name of a commitment': ['commitmentSave', COMMITMENT, [{ name: text(255) }], [{ name: '' }, { name: text(256) }]],
  'amount of a commitment': [
    'commitmentSave',
    COMMITMENT,
    [{ amount: '1000000000' }],
    [{ amount: '0' }, { amount: '-1' }, { amount: '1000000000.01' }],
  ],
  'start of a commitment': ['commitmentSave', COMMITMENT, [{ from: day(1_100) }], [{ from: day(1_101) }]],
  'models of a commitment': ['commitmentSave', COMMITMENT, [models(100)], [models(101)]],
  'name of a credit': ['providerCreditSave', CREDIT, [{ name: text(255) }], [{ name: '' }, { name: text(256) }]],
  'amount of a credit': [
    'providerCreditSave',
    CREDIT,
    [{ amount: '1000000000' }],
    [{ amount: '0' }, { amount: '-1' }, { amount: '1000000000.01' }],
  ],
  'start of a credit': ['providerCreditSave', CREDIT, [{ from: day(1_100) }], [{ from: day(1_101) }]],
  'models of a credit': ['providerCreditSave', CREDIT, [models(100)], [models(101)]],
  'key of a fixed cost': [
    'fixedCostSave',
    FIXED,
    [{ key: text(64) }, { key: 'a1.b-c_d' }],
    [{ key: '' }, { key: text(65) }, { key: 'A' }, { key: 'a b' }],
  ],
  'name of a fixed cost': ['fixedCostSave', FIXED, [{ name: text(255) }], [{ name: '' }, { name: text(256) }]],
  'periods of a fixed cost': ['fixedCostSave', FIXED, [periods(120)], [{ periods: [] }, periods(121)]],
  'first day of a fixed cost': ['fixedCostSave', FIXED, [since(1_100)], [since(1_101)]],
  'amount of a fixed cost': ['fixedCostSave', FIXED, [perDay('1000000000')], [perDay('0'), perDay('1000000000.01')]],
  'shares of a fixed cost': [
    'fixedCostSave',
    SHARES,
    [share('0.000001', '99.999999'), share(...names(1_000).map(() => '0.1'))],
    [share('0'), share('0.0000001'), share('50', '50.000001'), share(...names(1_001).map(() => '0.01'))],
  ],
  'weights of a fixed cost': [
    'fixedCostSave',
    TOKENS,
    [weight('0'), weight('1000000'), weight('0.000001')],
    [weight('-1'), weight('1000000.1'), weight('0.0000001')],
  ],
  'scope of a fixed cost': [
    'fixedCostSave',
    TOKENS,
    [scope({ endUsers: names(100) }), scope({ models: names(100) })],
    [scope({ endUsers: names(101) }), scope({ models: names(101) })],
  ],
  'name of a rule': ['alertRuleSave', BUDGET, [{ name: text(100) }], [{ name: '' }, { name: text(101) }]],
  'days of a rule': [
    'alertRuleSave',
    THRESHOLD,
    [{ windowDays: 1 }, { windowDays: 90 }],
    [{ windowDays: 0 }, { windowDays: 91 }],
  ],
  'hours of a rule': [
    'alertRuleSave',
    THRESHOLD,
    [{ windowHours: 1 }, { windowHours: 24 }],
    [{ windowHours: 0 }, { windowHours: 25 }],
  ],
  'subject of an allowance': [
    'allowanceSave',
    { subject: 'END_USER', period: 'DAY', amount: '1' },
    [{ subjectId: text(255) }, { subjectId: 'x' }],
    [{ subjectId: '' }, { subjectId: text(256) }],
  ],
  'key of a hold': [
    'holdOpen',
    SPEND,
    [{ idempotencyKey: text(255) }],
    [{ idempotencyKey: '' }, { idempotencyKey: text(256) }],
  ],
  'duration of a hold': [
    'holdOpen',
    SPEND,
    [
      { idempotencyKey: 'short', ttlSeconds: 1 },
      { idempotencyKey: 'long', ttlSeconds: 86_400 },
    ],
    [{ ttlSeconds: 0 }, { ttlSeconds: 86_401 }],
  ],
  'amount of a hold': [
    'holdOpen',
    SPEND,
    [{ idempotencyKey: 'none', spend: { amount: '0' } }],
    [{ idempotencyKey: 'less', spend: { amount: '-0.01' } }],
  ],
  'note of an adjustment': [
    'costAdjustmentBook',
    ADJUSTMENT,
    [{ note: text(500) }],
    [{ note: '' }, { note: text(501) }],
  ],
  'amount of an adjustment': [
    'costAdjustmentBook',
    ADJUSTMENT,
    [{ amount: '-0.000000000000001' }],
    [{ amount: '0.0000000000000001' }],
  ],
  'text of a note': ['noteAdd', { day: from }, [{ text: text(1_000) }], [{ text: '' }, { text: text(1_001) }]],
  'name of a saved view': ['savedViewAdd', VIEW, [{ name: text(100) }], [{ name: '' }, { name: text(101) }]],
  'tiers of a rate': ['rateSet', RATE, [tiers(20)], [tiers(21)]],
  'contexts of a rate': ['rateSet', RATE, [contexts(50)], [contexts(51)]],
  'unit prices of a rate': ['rateSet', RATE, [unitPrices(20)], [unitPrices(21)]],
  'month of the fiscal year': [
    'organizationFiscalYearSet',
    {},
    [{ firstMonth: 12 }, { firstMonth: 1 }],
    [{ firstMonth: 0 }, { firstMonth: 13 }],
  ],
};

describe('the bounds of the', () => {
  it.each(Object.entries(BOUNDS))('%s', async (_, [mutation, base, valid, invalid]) => {
    for (const more of valid) expect(await refusals(mutation, { ...base, ...more })).toEqual([]);
    for (const more of invalid) expect(await refusals(mutation, { ...base, ...more })).toHaveLength(1);
  });
});
