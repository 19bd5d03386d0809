import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endUserId } from '#kernel/end-user-id.ts';
import { money, plain, sum, ZERO } from '#kernel/money.ts';
import { parseWindow } from '#kernel/time/window.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { reprice } from '../../../../subgraphs/costing/repricing/reprice.operation.ts';
import { eraseEndUser } from '../../../../subgraphs/costing/erasure/erase-end-user.operation.ts';
import { listUpcomingRateChanges } from '../../../../subgraphs/costing/simulation/list-upcoming-rate-changes.operation.ts';
import { parseChanges } from '../../../../subgraphs/costing/simulation/parse-changes.ts';
import { profileUsageJob } from '../../../../subgraphs/costing/simulation/profile-usage.job.ts';
import { simulateCosts } from '../../../../subgraphs/costing/simulation/simulate-costs.operation.ts';
import { tokenRatio } from '../../../../subgraphs/costing/simulation/tokenizers.ts';
import type { SimulatedChange } from '../../../../subgraphs/costing/resolvers.generated.ts';
import { call, type Costing, startCosting } from '../costing-builder.ts';
import { runs } from '../../../support/property-runs.ts';

const at = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
const everything = { start: at(24 * 80), end: at(-24) };
const window = parseWindow(everything);

/** A separate organization in the shared database. */
let shared: Costing;
beforeAll(async () => {
  shared = await startCosting();
  const tiers = [{ aboveInputTokens: 200_000, input: '7' }];
  const contexts = [{ context: 'tier=batch', class: 'all', factor: '0.5' }];
  const card = { output: '10', cacheRead: '0.25', cacheCreation: '3', tiers, contexts };
  await setRate(shared.global, { model: 'gpt-5-one', input: '2.5', ...card });
  await setRate(shared.global, {
    model: 'gpt-5-two',
    input: '0.4',
    output: '1.6',
    cacheRead: '0.1',
    cacheCreation: '0.4',
    contexts,
  });
  await setRate(shared.global, { model: 'claude-sonnet-4-acme', input: '3', output: '15' });
  await setRate(shared.global, { model: 'page-reader', unitPrice: '0.01' });
});
afterAll(() => shared.close());
const organization = () => startCosting(shared.database);

/** The lines that attribution provides, computed from the ledger itself. */
async function costLines({ rows, organizationId }: Costing) {
  const found = await rows<{ externalId: string | null; cost: string; events: number }>(
    `select end_user_external_id as external_id, sum(total_cost)::text as cost, (count(*) filter (where sequence = 0))::float8 as events
     from cost_entry c join usage_event u on u.organization_id = c.organization_id and u.id = c.event_id
     where c.organization_id = $1 group by 1`,
    [organizationId],
  );
  const all = found.map(({ externalId, cost, events }) => ({ externalId, cost: plain(money(cost)), count: events }));
  const total = { cost: plain(sum(all.map(({ cost }) => money(cost)))), count: 0 };
  return {
    endUsers: all.flatMap(({ externalId, cost, count }) =>
      externalId === null ? [] : [[endUserId(organizationId, externalId), externalId, cost, count] as const],
    ),
    unassigned: all.find(({ externalId }) => externalId === null) ?? { cost: '0', count: 0 },
    total,
  };
}

async function simulate(own: Costing, changes: SimulatedChange[], more: { filter?: object; eventsMax?: number } = {}) {
  const costs = await costLines(own);
  const found = await simulateCosts(own.live, window, { changes, costs, first: 100, eventsMax: 250_000, ...more });
  const texts = (amounts: object) =>
    Object.fromEntries(Object.entries(amounts).map(([name, value]) => [name, plain(value as bigint)]));
  const view = ({ before, after, difference, isRange }: typeof found.total) => ({
    before: plain(before as bigint),
    after: texts(after),
    difference: texts(difference),
    isRange,
  });
  return {
    total: view(found.total),
    unassigned: view(found.unassigned),
    endUsers: Object.fromEntries(
      found.endUsers.nodes.map((node) => [(node.endUser as { externalId: string }).externalId, view(node)]),
    ),
    notCovered: found.notCovered.map(({ reason, modelSlug, eventCount, cost }) => ({
      reason,
      modelSlug,
      eventCount,
      cost: plain(cost as bigint),
    })),
    tokenizers: found.tokenizers,
  };
}

const calls = fc.array(
  fc.record({
    user_id: fc.constantFrom('ann', 'bob', undefined),
    input_tokens: fc.oneof(fc.integer({ min: 0, max: 9_999 }), fc.integer({ min: 199_990, max: 200_010 })),
    output_tokens: fc.integer({ min: 0, max: 5_000 }),
    cached: fc.integer({ min: 0, max: 100 }),
    isBatch: fc.boolean(),
    hoursAgo: fc.integer({ min: 1, max: 24 * 70 }),
  }),
  { minLength: 1, maxLength: 25 },
);
const toCall =
  (model: string) =>
  ({
    cached,
    isBatch,
    hoursAgo,
    ...fields
  }: ReturnType<typeof calls.generate>['value'] extends (infer Call)[] ? Call : never) =>
    call({
      ...fields,
      model,
      provider: 'acme',
      cache_read_input_tokens: Math.floor((fields.input_tokens * cached) / 100),
      event_invoked_at: at(hoursAgo),
      ...(isBatch ? { metadata: { service_tier: 'batch', usage: { service_tier: 'batch' } } } : {}),
    });

describe('a simulation', () => {
  it('a simulation of a model replaced by itself equals the booked cost', async () => {
    await fc.assert(
      fc.asyncProperty(calls, async (made) => {
        const own = await organization();
        await own.send([...made.map(toCall('gpt-5-one')), call({ cost_override: '7', user_id: 'ann' })]);
        await own.settle();
        const { total, endUsers, notCovered } = await simulate(own, [
          { replace: { model: 'gpt-5-one', byModel: 'gpt-5-one' } },
        ]);
        expect(notCovered).toEqual([]);
        for (const { before, after } of [total, ...Object.values(endUsers)])
          expect(after).toEqual({ low: before, expected: before, high: before });
      }),
      runs(4, { nightly: 50 }),
    );
  });

  it('a simulation of a model replaced by one that counts tokens alike equals the price of the same calls with that model', async () => {
    await fc.assert(
      fc.asyncProperty(calls, async (made) => {
        const [own, other] = [await organization(), await organization()];
        await own.send(made.map(toCall('gpt-5-one')));
        await other.send(made.map(toCall('gpt-5-two')));
        await own.settle();
        await other.settle();
        const { total, endUsers, notCovered } = await simulate(own, [
          { replace: { model: 'gpt-5-one', byModel: 'gpt-5-two' } },
        ]);
        const expected = await costLines(other);
        expect(notCovered).toEqual([]);
        expect(total).toMatchObject({ isRange: false, after: { expected: expected.total.cost } });
        for (const [, externalId, cost] of expected.endUsers)
          expect(endUsers[externalId]?.after['expected'] ?? '0').toBe(cost);
      }),
      runs(4, { nightly: 50 }),
    );
  });

  it('a simulation of a new rate equals a repricing after the same change', async () => {
    const rate = fc.integer({ min: 0, max: 99_999_999_999 }).map((units) => plain(money(`${units}e-9`)));
    await fc.assert(
      fc.asyncProperty(calls, rate, rate, async (made, input, cacheRead) => {
        const own = await organization();
        const rates = { input: '2', output: '10', cacheRead: '0.2', cacheCreation: '3' };
        const contexts = [{ context: 'tier=batch', class: 'all', factor: '0.5' }];
        await setRate(own.operator, { model: 'gpt-5-one', ...rates, contexts });
        await own.send(made.map(toCall('gpt-5-one')));
        await own.settle();
        const { total, notCovered } = await simulate(own, [
          { rate: { model: 'gpt-5-one', tokenClass: 'input', amount: input } },
          { rate: { model: 'gpt-5-one', tokenClass: 'cache_read', amount: cacheRead } },
        ]);
        await setRate(own.operator, {
          ...{ model: 'gpt-5-one', ...rates, contexts, input, cacheRead },
          effectiveFrom: at(24 * 79),
        });
        const { difference } = await reprice(own.operator, { ...everything, dryRun: true });
        expect(notCovered).toEqual([]);
        // Half of a rate with nine decimals has ten: each event is then rounded at the fifteenth digit, and the sum
        // once.
        const off = money(total.difference['expected']!).minus(difference).abs();
        const isRounded = made.some(({ isBatch }) => isBatch);
        expect(off.lte(isRounded ? money('1e-15').times(2 * made.length) : ZERO)).toBe(true);
      }),
      runs(5, { nightly: 50 }),
    );
  });

  it('lists costs that cannot be derived from tokens, and their amount', async () => {
    const own = await organization();
    await own.send([
      call({ model: 'gpt-5-one', user_id: 'ann' }),
      call({ model: 'gpt-5-one', user_id: 'ann', cost_override: '7' }),
      call({ model: 'gpt-5-two', user_id: 'bob', metadata: { usage: { service_tier: 'batch' } } }),
    ]);
    await own.settle();
    const { endUsers, notCovered } = await simulate(own, [
      { batchShare: { share: '0.5' } },
      { replace: { model: 'gpt-5-two', byModel: 'claude-sonnet-4-acme' } },
    ]);
    expect(notCovered).toEqual([
      { reason: 'BILLED_OTHERWISE', modelSlug: 'gpt-5-one', eventCount: 1, cost: '7' },
      { reason: 'NO_PRICE', modelSlug: 'gpt-5-two', eventCount: 1, cost: '0.00028' },
    ]);
    // 1,000 in at 2.5 and 100 out at 10 USD per million are 0.0035; half of them at half the price.
    expect(endUsers).toMatchObject({
      ann: { before: '7.0035', after: { expected: '7.002625' } },
      bob: { before: '0.00028', difference: { low: '0', high: '0' } },
    });
  });

  it('a simulation of a cached share reads that share from the cache', async () => {
    const own = await organization();
    await own.send([
      call({ model: 'gpt-5-one', user_id: 'ann', agent_id: 'a1' }),
      call({ model: 'gpt-5-one', user_id: 'bob' }),
    ]);
    await own.settle();
    const change = { cachedShare: { model: 'gpt-5-one', share: '0.8' } };
    // 200 at 2.5, 800 at 0.25 and 100 at 10 USD per million.
    expect((await simulate(own, [change])).total.after).toEqual({ low: '0.0034', expected: '0.0034', high: '0.0034' });
    expect((await simulate(own, [change], { filter: { agent: 'a1' } })).total.difference['expected']).toBe('-0.0018');
    expect((await simulate(own, [change], { filter: { endUser: 'bob' } })).endUsers['ann']).toMatchObject({
      difference: { expected: '0' },
    });
  });

  it('a simulation of a rate or a model at one provider leaves its calls at other providers as they are', async () => {
    const own = await organization();
    const at = (provider: string) => call({ model: 'gpt-5-one', provider, user_id: provider });
    await own.send([at('openai'), at('azure')]);
    await own.settle();
    const ofOne = { model: 'gpt-5-one', provider: 'openai' };
    for (const change of [
      { rate: { ...ofOne, tokenClass: 'output', amount: '20' } },
      { replace: { ...ofOne, byModel: 'gpt-5-two' } },
    ]) {
      const { endUsers } = await simulate(own, [change]);
      expect(endUsers['openai']?.difference['expected']).not.toBe('0');
      expect(endUsers['azure']?.difference['expected']).toBe('0');
    }
  });

  it('rounds each class half up at the fifteenth digit', async () => {
    const own = await organization();
    const tokens = (input_tokens: number) =>
      call({ model: 'gpt-5-one', user_id: `${input_tokens}`, input_tokens, output_tokens: 0 });
    await own.send([tokens(1), tokens(2), tokens(3)]);
    await own.settle();
    const rate = { model: 'gpt-5-one', tokenClass: 'input', amount: '0.000000001' };
    const { endUsers } = await simulate(own, [{ rate }, { batchShare: { share: '1' } }]);
    // In batches, a token costs half of 10⁻¹⁵ USD.
    expect([1, 2, 3].map((count) => endUsers[count]?.after['expected'])).toEqual([
      ...['0.000000000000001', '0.000000000000001', '0.000000000000002'],
    ]);
  });

  it('prefers the share of a model to that of every model, in any order', async () => {
    const own = await organization();
    await own.send([call({ model: 'gpt-5-one', user_id: 'ann' }), call({ model: 'gpt-5-two', user_id: 'bob' })]);
    await own.settle();
    const shares = [{ batchShare: { model: 'gpt-5-one', share: '0' } }, { batchShare: { share: '1' } }];
    for (const changes of [shares, shares.toReversed()]) {
      const { endUsers } = await simulate(own, changes);
      // 0.0035, and half of 0.00056.
      expect([endUsers['ann']?.after['expected'], endUsers['bob']?.after['expected']]).toEqual(['0.0035', '0.00028']);
    }
  });

  it('lists events that keep their cost once for each reason, with their sums, the costliest first', async () => {
    const own = await organization();
    const stated = (model: string, cost: string) => call({ model, cost_override: cost });
    await own.send([stated('gpt-5-two', '1'), stated('gpt-5-one', '7'), stated('gpt-5-one', '0.5')]);
    await own.settle();
    const { notCovered } = await simulate(own, [{ batchShare: { share: '0.5' } }]);
    expect(notCovered).toEqual([
      { reason: 'BILLED_OTHERWISE', modelSlug: 'gpt-5-one', eventCount: 2, cost: '7.5' },
      { reason: 'BILLED_OTHERWISE', modelSlug: 'gpt-5-two', eventCount: 1, cost: '1' },
    ]);
  });

  it('accepts twenty changes, and no more', () => {
    const changes = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ batchShare: { model: `m-${index}`, share: '1' } }));
    expect(parseChanges(changes(20)).batchShares).toHaveLength(20);
    expect(() => parseChanges(changes(21))).toThrow('changes must contain 1 to 20 changes');
  });

  it('a simulation of a model that counts tokens differently gives a range, with its source', async () => {
    const own = await organization();
    await own.send([call({ model: 'gpt-5-one', user_id: 'ann' })]);
    await own.settle();
    const { total, tokenizers } = await simulate(own, [
      { replace: { model: 'gpt-5-one', byModel: 'claude-sonnet-4-acme' } },
    ]);
    expect(total).toMatchObject({ isRange: true, after: { low: '0.0045', expected: '0.005175', high: '0.00585' } });
    expect(tokenizers).toMatchObject([{ low: 1, expected: 1.15, high: 1.3, source: expect.stringContaining('2026') }]);
  });

  it('a simulation of a factor multiplies every rate', async () => {
    const own = await organization();
    await own.send([
      call({ model: 'gpt-5-one', input_tokens: 300_000 }),
      call({ model: 'gpt-5-one', cache_read_input_tokens: 400, metadata: { usage: { service_tier: 'batch' } } }),
    ]);
    await own.settle();
    const { unassigned } = await simulate(own, [{ rate: { model: 'gpt-5-one', factor: '0.9' } }]);
    expect(unassigned.after['expected']).toBe(plain(money(unassigned.before).times(0.9)));
  });

  it.each<[string, SimulatedChange[], string, RegExp]>([
    ['no change', [], 'VALIDATION_ERROR', /changes/],
    ['two things in one', [{ batchShare: { share: '1' }, cachedShare: { share: '1' } }], 'VALIDATION_ERROR', /one of/],
    ['a share above one', [{ batchShare: { share: '1.1' } }], 'VALIDATION_ERROR', /share/],
    ['a negative rate', [{ rate: { model: 'm', tokenClass: 'input', amount: '-1' } }], 'VALIDATION_ERROR', /amount/],
    ['an amount without a class', [{ rate: { model: 'm', amount: '1' } }], 'VALIDATION_ERROR', /tokenClass/],
    ['an unknown class', [{ rate: { model: 'm', tokenClass: 'x', factor: '1' } }], 'VALIDATION_ERROR', /one of: input/],
    [
      'one model replaced twice',
      [{ replace: { model: 'a', byModel: 'b' } }, { replace: { model: 'a', byModel: 'c' } }],
      'VALIDATION_ERROR',
      /Two replace changes name a$/,
    ],
    [
      'a model that no card prices',
      [{ replace: { model: 'gpt-5-one', byModel: 'nothing-1' } }],
      'NOT_FOUND',
      /nothing-1/,
    ],
    ['a model that no event has', [{ replace: { model: 'gpt-5-on', byModel: 'gpt-5-two' } }], 'NOT_FOUND', /gpt-5-on"/],
    [
      'a model priced per unit',
      [{ replace: { model: 'gpt-5-one', byModel: 'page-reader' } }],
      'VALIDATION_ERROR',
      /per unit/,
    ],
  ])('a simulation of %s is an error', async (_name, changes, code, message) => {
    const own = await organization();
    await expect(simulate(own, changes)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });
});

it('an announced rate change shows the cost of the last 30 days before and after it', async () => {
  const own = await organization();
  const rate = (input: string, effectiveFrom: string) =>
    setRate(own.operator, { model: 'acme-9', input, output: '0', effectiveFrom });
  await rate('1', at(24 * 100));
  await own.send(
    [1, 24 * 29, 24 * 32].map((hours) =>
      call({ model: 'acme-9', input_tokens: 1_000_000, event_invoked_at: at(hours) }),
    ),
  );
  await own.settle();
  expect(await listUpcomingRateChanges(own.live)).toEqual([]);
  const [soon, later] = [at(-24), at(-240)];
  await rate('4', later);
  await rate('3', soon);
  const changes = await listUpcomingRateChanges(own.live);
  expect(
    changes.map(({ effectiveFrom, costBefore, costAfter, difference, ...counts }) => [
      effectiveFrom,
      ...[costBefore, costAfter, difference].map((amount) => plain(amount as bigint)),
      counts.modelSlug,
      counts.eventCount,
      counts.notPricedCount,
    ]),
  ).toEqual([
    [soon, '2', '6', '4', 'acme-9', 2, 0],
    [later, '6', '8', '2', 'acme-9', 2, 0],
  ]);
  expect(await listUpcomingRateChanges(own.stranger)).toEqual([]);
});

describe('past days', () => {
  const DAYS =
    'select (count(*) filter (where is_whole))::int as days from usage_profile_day where organization_id = $1';
  const profile = async () => {
    const job = profileUsageJob({ database: shared.database });
    while ((await job.step()) === 'more');
  };
  const change: SimulatedChange[] = [
    { replace: { model: 'gpt-5-one', byModel: 'gpt-5-two' } },
    { rate: { model: 'gpt-5-two', tokenClass: 'output', amount: '2' } },
  ];
  const days = async (own: Costing) => (await own.rows<{ days: number }>(DAYS, [own.organizationId]))[0]?.days;

  it('are aggregated once, and simulated like their events', async () => {
    await fc.assert(
      fc.asyncProperty(calls, calls, async (made, late) => {
        const own = await organization();
        await own.send([...made.map(toCall('gpt-5-one')), call({ cost_override: '7', event_invoked_at: at(72) })]);
        await own.settle();
        const fromEvents = await simulate(own, change);
        await profile();
        expect(await days(own)).toBeGreaterThan(0);
        expect(await simulate(own, change)).toEqual(fromEvents);
        // A late event for an aggregated day counts at once, and the day is aggregated again.
        await own.send(late.map(toCall('gpt-5-one')));
        await own.settle();
        const withLate = await simulate(own, change);
        await own.rows('delete from usage_profile_day where organization_id = $1 returning day', [own.organizationId]);
        expect(await simulate(own, change)).toEqual(withLate);
        await profile();
        expect(await simulate(own, change)).toEqual(withLate);
      }),
      runs(3, { nightly: 30 }),
    );
  });

  it('are filtered by end user and by agent in the same way as events', async () => {
    const own = await organization();
    const made = (user_id: string, agent_id: string) =>
      call({ model: 'gpt-5-one', user_id, agent_id, event_invoked_at: at(72) });
    await own.send([made('ann', 'a1'), made('bob', 'a1'), made('bob', 'a2')]);
    await own.settle();
    const filters = [{ endUser: 'bob' }, { agent: 'a1' }, { endUser: 'bob', agent: 'a1' }];
    const simulated = () => Promise.all(filters.map((filter) => simulate(own, change, { filter })));
    const fromEvents = await simulated();
    expect(fromEvents.map(({ total }) => total.difference['expected'])).toEqual(['-0.0058', '-0.0058', '-0.0029']);
    await profile();
    expect(await days(own)).toBe(1);
    expect(await simulated()).toEqual(fromEvents);
  });

  it('do not count towards the limit of individual events', async () => {
    const own = await organization();
    await own.send([
      call({ model: 'gpt-5-one', event_invoked_at: at(30) }),
      call({ model: 'gpt-5-one', event_invoked_at: at(31) }),
    ]);
    await own.settle();
    await expect(simulate(own, change, { eventsMax: 1 })).rejects.toMatchObject({
      code: 'UNPROCESSABLE_ENTITY',
      message: expect.stringContaining('at most 1 individual events, and about 2 events of this window'),
    });
    const fromEvents = await simulate(own, change, { eventsMax: 2 });
    await profile();
    expect(await simulate(own, change, { eventsMax: 0 })).toEqual(fromEvents);
    await expect(simulate(own, change, { eventsMax: 250_001 })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('are aggregated again, once, if prices change at another input size', async () => {
    const own = await organization();
    await own.send([call({ model: 'gpt-5-one', input_tokens: 150_000, event_invoked_at: at(72) })]);
    await own.settle();
    await profile();
    const tiers = [{ aboveInputTokens: 123_456, input: '9' }];
    await setRate(own.operator, { model: 'gpt-5-own', input: '1', output: '1', tiers });
    await profile();
    const SIZES =
      'select input_sizes::text as sizes, ctid::text as place from usage_profile_day where organization_id = $1';
    const made = await own.rows<{ sizes: string; place: string }>(SIZES, [own.organizationId]);
    expect(made).toMatchObject([{ sizes: expect.stringContaining('123456') }]);
    await profile();
    expect(await own.rows(SIZES, [own.organizationId])).toEqual(made);
    const { total } = await simulate(own, [{ replace: { model: 'gpt-5-one', byModel: 'gpt-5-own' } }]);
    // 150,000 at 9 and 100 at 1 USD per million.
    expect(total.after['expected']).toBe('1.3501');
  });

  it('are aggregated again after a repricing, and deleted with an erased end user', async () => {
    const own = await organization();
    await setRate(own.operator, { model: 'gpt-5-one', input: '1', output: '1' });
    await own.send([call({ model: 'gpt-5-one', user_id: 'ann', event_invoked_at: at(72) })]);
    await own.settle();
    await profile();
    expect(await days(own)).toBe(1);
    await setRate(own.operator, { model: 'gpt-5-one', input: '2', output: '1', effectiveFrom: at(24 * 79) });
    await reprice(own.operator, { ...everything, dryRun: false });
    expect(await days(own)).toBe(0);
    const itself: SimulatedChange[] = [{ rate: { model: 'gpt-5-one', tokenClass: 'input', amount: '2' } }];
    expect(await simulate(own, itself)).toMatchObject({ total: { before: '0.0021', difference: { expected: '0' } } });
    await profile();
    expect(await simulate(own, itself)).toMatchObject({ total: { difference: { expected: '0' } }, notCovered: [] });
    await eraseEndUser(own.operator, { externalId: 'ann', keepDimensions: [], limit: 1000 });
    const named = await own.rows('select 1 from usage_profile where organization_id = $1', [own.organizationId]);
    expect([await days(own), named]).toEqual([0, []]);
  });
});

describe('tokenizers', () => {
  it.each([
    ['gpt-4o-mini', 'gpt-5', false],
    ['claude-opus-4-5', 'claude-sonnet-4-6', false],
    ['claude-opus-4-6', 'claude-opus-4-7', true],
    ['gpt-4-turbo', 'gpt-4o', true],
    ['acme-1', 'acme-1', false],
    ['acme-1', 'acme-2', true],
    ['openai/gpt-4o', 'o3', false],
  ])('of %s and %s', (from, to, isRange) => {
    const ratio = tokenRatio(from, to);
    expect(ratio !== null).toBe(isRange);
    if (ratio === null) return;
    const value = ({ times, by }: typeof ratio.low) => Number(times) / Number(by);
    expect(value(ratio.low)).toBeLessThanOrEqual(value(ratio.expected));
    expect(value(ratio.expected)).toBeLessThanOrEqual(value(ratio.high));
  });
});
