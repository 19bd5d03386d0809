import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { explainCost } from '../../../../subgraphs/costing/ledger/explain-cost.operation.ts';
import { aFollower } from '../a-follower.ts';
import { reprice } from '../../../../subgraphs/costing/repricing/reprice.operation.ts';
import { revertRepricing } from '../../../../subgraphs/costing/repricing/revert-repricing.operation.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { summarizeCosts } from '../../../../subgraphs/costing/ledger/summarize-costs.operation.ts';
import { verifyCosting } from '../../../../subgraphs/costing/verification/verify-costing.operation.ts';
import { plain } from '#kernel/money.ts';
import { call, calls, type Costing, startCosting } from '../costing-builder.ts';

let pricing: Costing;
const at = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
const all = { start: at(60), end: at(0), dryRun: false };

beforeEach(async () => {
  pricing = await startCosting();
  await setRate(pricing.global, { model: 'acme-1', input: '1', output: '10', cacheRead: '0.1' });
  await setRate(pricing.global, { model: 'other', input: '5', output: '5' });
  await pricing.send([
    call({ event_invoked_at: at(30) }),
    call({ event_invoked_at: at(3), cache_read_input_tokens: 400 }),
    call({ event_invoked_at: at(3) }),
    call({ event_invoked_at: at(3), model: 'other' }),
    call({ event_invoked_at: at(3), cost_override: '7' }),
  ]);
  await pricing.settle();
  await setRate(pricing.global, { model: 'acme-1', input: '2', output: '10', cacheRead: '0.1', effectiveFrom: at(10) });
});
afterEach(() => pricing.close());

/** A database that does something after a number of transactions across organizations. */
function afterTransactions(count: number, act: () => Promise<void>): Costing['database'] {
  let transactions = 0;
  return {
    ...pricing.database,
    system: (async (work) => {
      if (++transactions === count) await act();
      return pricing.database.system(work);
    }) as Costing['database']['system'],
  };
}

const total = async () => plain((await summarizeCosts(pricing.live, 'LAST_90_DAYS')).currentPeriodCost);
const wrong = async () => (await verifyCosting(pricing.global)).filter(({ differences }) => differences.length > 0);

describe('a dry run', () => {
  it('shows the difference by model and day and changes nothing', async () => {
    const before = await total();
    const result = await reprice(pricing.operator, { ...all, dryRun: true });
    expect({ ...result, difference: plain(result.difference) }).toMatchObject({
      repricingId: null,
      events: 2,
      difference: '0.0016',
    });
    expect(result.byModel.map(({ modelSlug, day, events }) => ({ modelSlug, day, events }))).toEqual([
      { modelSlug: 'acme-1', day: at(3).slice(0, 10), events: 2 },
    ]);
    expect(await total()).toBe(before);
  });
});

describe('events from before a provider’s own usage was supported', () => {
  it('keep their cost; a dry run shows what the new reading changes, and a repricing appends the differences', async () => {
    const usage = { input_tokens: 1_000, output_tokens: 100, cache_read_input_tokens: 900 };
    const [id = ''] = await pricing.send([
      call({ event_invoked_at: at(20), provider: 'anthropic', metadata: { usage } }),
    ]);
    await pricing.settle();
    const priced = (await pricing.costs())[id];
    expect(priced).toBe('0.00209');
    // As booked at that time: cached tokens as part of the input, and no reading.
    await pricing.rows(
      `update cost_entry set total_cost = 0.00119, input_cost = 0.0001, reading = null,
         explanation = replace(explanation::text, $2, $3)::json where event_id = $1 returning 1`,
      [id, '["input","1000","1",1000000,"0.001"]', '["input","100","1",1000000,"0.0001"]'],
    );
    await pricing.rows(
      'update cost_hour set total_cost = total_cost - 0.0009 where hour = date_trunc($1, $2::timestamptz, $3) returning 1',
      ['hour', at(20), 'UTC'],
    );
    expect(await wrong()).toEqual([]);
    const before = await total();
    const window = { start: at(21), end: at(19) };
    const shown = await reprice(pricing.operator, { ...window, dryRun: true });
    expect([shown.events, plain(shown.difference)]).toEqual([1, '0.0009']);
    expect([await total(), (await pricing.costs())[id]]).toEqual([before, '0.00119']);

    await reprice(pricing.operator, { ...window, dryRun: false });
    expect((await pricing.costs())[id]).toBe(priced);
    const { entries } = await explainCost(pricing.live, id, null);
    expect(entries.map(({ reading, cause }) => [reading, cause])).toEqual([
      [null, 'PRICED'],
      ['anthropic-messages', 'REPRICED'],
    ]);
    expect(await wrong()).toEqual([]);
  });
});

describe('a repricing', () => {
  it('appends differences, updates the summary, and publishes to consumers', async () => {
    expect(await total()).toBe('7.01114');
    const follower = aFollower(pricing.global);
    await follower.follow();
    const result = await reprice(pricing.operator, all);
    expect({ ...result, difference: plain(result.difference) }).toMatchObject({
      repricingId: expect.any(String),
      events: 2,
      difference: '0.0016',
    });
    expect(await total()).toBe('7.01274');
    expect(await wrong()).toEqual([]);
    await follower.follow();
    const facts = follower.facts.filter(({ sequence }) => sequence > 0);
    expect(
      facts.map(({ totalCost, inputCost, cacheReadCost, inputTokens, modelSlug }) => ({
        totalCost,
        inputCost,
        cacheReadCost,
        inputTokens,
        modelSlug,
      })),
    ).toEqual(
      [
        { totalCost: '0.0006', inputCost: '0.0006', cacheReadCost: '0', inputTokens: 0, modelSlug: 'acme-1' },
        { totalCost: '0.001', inputCost: '0.001', cacheReadCost: null, inputTokens: 0, modelSlug: 'acme-1' },
      ].map((fact) => expect.objectContaining(fact)),
    );
  });

  it('changes nothing if it is requested again', async () => {
    await reprice(pricing.operator, all);
    expect(await reprice(pricing.operator, all)).toMatchObject({ events: 0, byModel: [] });
  });

  it('resumes after an interruption', async () => {
    let transactions = 0;
    const failing = {
      ...pricing.database,
      system: ((work) => {
        if (++transactions > 1) throw new Error('The process was killed');
        return pricing.database.system(work);
      }) as typeof pricing.database.system,
    };
    await expect(reprice({ ...pricing.operator, database: failing }, all)).rejects.toThrow('killed');
    expect(await reprice(pricing.operator, all)).toMatchObject({ events: 2 });
    expect(await pricing.rows('select count(*)::int as repricings from repricing')).toEqual([{ repricings: 1 }]);
    expect(await wrong()).toEqual([]);
  });

  it.each([
    ['is corrected after it was killed', false],
    ['changes while it runs', true],
  ])('leaves every event at one price when the rate %s', async (_when, isRunning) => {
    await pricing.send(calls(1_100, { event_invoked_at: at(5) }));
    await pricing.settle();
    const typed = { model: 'acme-1', output: '10', cacheRead: '0.1', effectiveFrom: at(10) };
    await setRate(pricing.global, { ...typed, input: '20' });
    const between = afterTransactions(3, async () => {
      await setRate(pricing.global, { ...typed, input: '2' });
      if (!isRunning) throw new Error('The process was killed');
    });
    const first = reprice({ ...pricing.operator, database: between }, all);
    if (isRunning) await first;
    else await expect(first).rejects.toThrow('killed');
    const result = isRunning ? await first : await reprice(pricing.operator, all);
    expect(await pricing.rows('select count(*)::int as repricings from repricing')).toEqual([{ repricings: 1 }]);
    const standing = await pricing.rows(
      `select trim_scale(total)::text as total, count(*)::int as events from (
         select sum(total_cost) as total from cost_entry where event_time = $1 group by event_id) e group by 1`,
      [
        (
          await pricing.rows<{ t: string }>('select event_time::text as t from usage_event order by id desc limit 1')
        )[0]!.t,
      ],
    );
    expect(standing).toEqual([{ total: '0.003', events: 1_100 }]);
    expect(await wrong()).toEqual([]);
    const before = await total();
    await revertRepricing(pricing.operator, result.repricingId!);
    expect(await total()).not.toBe(before);
    expect(await wrong()).toEqual([]);
    expect(await reprice(pricing.operator, all)).toMatchObject({ events: result.events });
    expect(await total()).toBe(before);
  });

  it('does not affect other models if one is given', async () => {
    expect(await reprice(pricing.operator, { ...all, model: 'other' })).toMatchObject({ events: 0 });
    expect(await reprice(pricing.operator, { ...all, model: 'acme-1' })).toMatchObject({ events: 2 });
  });

  it('is reverted by the opposite differences, once', async () => {
    const { repricingId } = await reprice(pricing.operator, all);
    const reverted = await revertRepricing(pricing.operator, repricingId!);
    expect(plain(reverted.difference)).toBe('-0.0016');
    expect(await total()).toBe('7.01114');
    expect(await wrong()).toEqual([]);
    await expect(revertRepricing(pricing.operator, repricingId!)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(revertRepricing(pricing.operator, 'nonsense')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('cannot be reverted before a later one of the same events', async () => {
    const first = await reprice(pricing.operator, all);
    await setRate(pricing.global, { model: 'acme-1', input: '3', output: '10', effectiveFrom: at(9) });
    const second = await reprice(pricing.operator, all);
    await expect(revertRepricing(pricing.operator, first.repricingId!)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    await revertRepricing(pricing.operator, second.repricingId!);
    expect(await total()).toBe('7.01274');
  });
});

it('a cost is explained as of now and of a past moment', async () => {
  const [id] = await pricing.send([call({ event_invoked_at: at(12), cache_read_input_tokens: 400 })]);
  await pricing.settle();
  const before = new Date().toISOString();
  await setRate(pricing.global, { model: 'acme-1', input: '4', output: '10', cacheRead: '0.1', effectiveFrom: at(15) });
  await new Promise((resolve) => setTimeout(resolve, 5));
  await reprice(pricing.operator, all);
  const now = await explainCost(pricing.live, id!, null);
  expect({ ...now, totalCost: plain(now.totalCost!) }).toMatchObject({
    status: 'COMPLETED',
    totalCost: '0.00344',
    reason: null,
    entries: [
      {
        sequence: 0,
        cause: 'PRICED',
        modelSlug: 'acme-1',
        matchRule: 'matched "acme-1" as longest prefix of "acme-1" as sent',
        tierAbove: null,
        tokenReading: expect.stringContaining('input inclusive'),
        lines: [
          { class: 'input', quantity: '600', rate: '1', per: 'million_tokens', cost: '0.0006' },
          { class: 'output', quantity: '100', rate: '10', per: 'million_tokens', cost: '0.001' },
          { class: 'cache_read', quantity: '400', rate: '0.1', per: 'million_tokens', cost: '0.00004' },
        ],
      },
      { sequence: 1, cause: 'REPRICED', lines: [{ class: 'input', quantity: null, rate: null, cost: '0.0018' }] },
    ],
  });
  const then = await explainCost(pricing.live, id!, before);
  expect(then.entries).toHaveLength(1);
  expect(plain(then.totalCost!)).toBe('0.00164');
  const stranger = await startCosting(pricing.database);
  await expect(explainCost(stranger.live, id!, null)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
