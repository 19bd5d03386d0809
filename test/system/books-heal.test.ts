/** The books heal: whichever database is restored, attribution again matches costing's ledger. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { getPricingBacklog } from '../../subgraphs/costing/pricing-queue/get-pricing-backlog.operation.ts';
import { describeLag } from '../../subgraphs/attribution/feed/describe-lag.operation.ts';
import { startRebuild } from '../../subgraphs/attribution/feed/start-rebuild.operation.ts';
import { eraseEndUser } from '../../subgraphs/costing/erasure/erase-end-user.operation.ts';
import { setRate } from '../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { aChain, type Chain } from '../support/chain.ts';
import { MINUTES } from '../support/patience.ts';

// Kills processes and waits until they have recovered.
vi.setConfig(MINUTES);

let chain: Chain;
const organizationId = randomUUID();
beforeEach(async () => {
  chain = await aChain();
  await rate('1');
});
afterEach(() => chain.close());

const rate = (input: string) =>
  setRate(chain.context('costing', null), { model: 'acme', input, output: '0', effectiveFrom: '2020-01-01' });
let sent = 0;
const events = (count: number, more: object = {}) =>
  Array.from({ length: count }, () => ({
    idempotency_key: `${++sent}`,
    model: 'acme',
    input_tokens: 1_000,
    output_tokens: 1,
    event_invoked_at: new Date(Date.now() - (sent % 7) * 86_400_000 - 60_000).toISOString(),
    user_id: `user-${sent % 3}`,
    ...more,
  }));
const facts = async () =>
  (await chain.rows<{ count: number }>('attribution', 'select count(*)::int as count from cost_fact'))[0]?.count;
/** True if `settle` would not wait any longer. */
const isSettled = async () => {
  const backlog = await getPricingBacklog(chain.context('costing', null));
  const lag = await describeLag(chain.context('attribution', null));
  return (
    backlog.pendingEvents + backlog.feedLag + lag.batches + lag.replaying === 0 && backlog.feedDigest === lag.feedDigest
  );
};

describe('costing is restored to an older state', () => {
  it('lost events disappear, resent and new ones appear, and settle reports success only afterwards', async () => {
    await chain.send(organizationId, events(20));
    await chain.settle();
    const backup = await chain.backUp('costing');
    await chain.send(organizationId, events(30, { user_id: 'lost' }));
    await chain.settle();
    expect(await facts()).toBe(50);
    await chain.restore('costing', backup);
    expect(await isSettled()).toBe(false);
    await chain.send(organizationId, events(5));
    await chain.settle();
    expect(await chain.differences()).toEqual([]);
    expect(await facts()).toBe(25);
    expect(await isSettled()).toBe(true);
  });

  it('the repair needs no new pricing', async () => {
    const backup = await chain.backUp('costing');
    await chain.send(organizationId, events(10));
    await chain.settle();
    await chain.restore('costing', backup);
    await chain.settle();
    expect(await chain.differences()).toEqual([]);
    expect(await facts()).toBe(0);
  });

  it('a reused number is not mistaken for the earlier batch with it, however many follow', async () => {
    await chain.send(organizationId, events(1));
    await chain.settle();
    const backup = await chain.backUp('costing');
    for (let batch = 0; batch < 3; batch++) {
      await chain.send(organizationId, events(1));
      await chain.settle();
    }
    await chain.restore('costing', backup);
    for (let batch = 0; batch < 5; batch++) {
      await chain.send(organizationId, events(1));
      while ((await chain.step('price-events')) === 'more');
    }
    while ((await chain.step('follow-priced-feed')) === 'more');
    await chain.settle();
    expect(await chain.differences()).toEqual([]);
    expect(await facts()).toBe(6);
  });

  it('an event that is priced again at another rate has the new cost', async () => {
    await chain.send(organizationId, events(3));
    const backup = await chain.backUp('costing');
    await chain.settle();
    await chain.restore('costing', backup);
    await rate('2');
    await chain.settle();
    expect(await chain.differences()).toEqual([]);
  });
});

describe('attribution is restored to an older state', () => {
  it.each(['with what follows still in the feed', 'with what follows pruned'])('%s', async (how) => {
    const backup = await chain.backUp('attribution');
    await chain.send(organizationId, events(20));
    await chain.settle();
    if (how.endsWith('pruned')) await chain.step('prune-feed');
    await chain.restore('attribution', backup);
    expect(await isSettled()).toBe(false);
    await chain.settle();
    expect(await chain.differences()).toEqual([]);
    expect(await facts()).toBe(20);
  });
});

describe('damage by hand', () => {
  const broken = async () => {
    await chain.send(organizationId, events(30));
    await chain.settle();
    for (const sql of [
      'delete from cost_fact where event_id in (select event_id from cost_fact order by event_id limit 3) returning 1',
      'update cost_fact set total_cost = total_cost + 1 where event_id = (select max(event_id::text)::uuid from cost_fact) returning 1',
      'insert into cost_fact select organization_id, gen_random_uuid(), sequence, event_time, end_user_id, model_slug, provider_id, provider_slug, provider_name, input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens, reasoning_tokens, total_cost, input_cost, output_cost, cache_creation_cost, cache_read_cost, reasoning_cost, dimensions, session_id, span_id, parent_span_id, arrival, provider_reported from cost_fact limit 1 returning 1',
      "update rollup_day set total_cost = 7 where dimension_key = 'model' returning 1",
      'update end_user_month set event_count = 9 returning 1',
    ])
      await chain.rows('attribution', sql);
    expect(await chain.differences()).not.toEqual([]);
  };

  it('is repaired from the ledger, with every sum', async () => {
    await broken();
    await chain.send(organizationId, events(3));
    expect((await startRebuild(chain.context('attribution', organizationId), {})).organizations).toBe(1);
    expect(await isSettled()).toBe(false);
    await chain.settle();
    expect(await chain.differences()).toEqual([]);
  });

  it('is repaired within the requested period only, whether or not another comparison is running', async () => {
    await chain.send(organizationId, events(14));
    await chain.settle();
    await chain.rows('attribution', 'delete from cost_fact returning 1');
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000 - 3_600_000).toISOString();
    const context = chain.context('attribution', null);
    expect((await startRebuild(context, { start: day(3), end: day(1) })).organizations).toBe(1);
    await chain.settle();
    expect(await facts()).toBe(4);
    await startRebuild(context, { start: day(3), end: day(1) });
    await startRebuild(context, { start: day(1), end: day(0) });
    await chain.settle();
    expect(await facts()).toBe(6);
    await startRebuild(context, {});
    await chain.settle();
    expect(await facts()).toBe(14);
    await expect(startRebuild(context, { start: day(1) })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

it('data that an erasure removed from facts stays removed, and facts keep the values by which they are rolled up', async () => {
  await chain.send(organizationId, events(6, { user_id: 'gone', agent_id: 'kept' }));
  await chain.settle();
  const before = await chain.backUp('attribution');
  await eraseEndUser(chain.context('costing', organizationId), { externalId: 'gone', limit: 100, keepDimensions: [] });
  await chain.settle();
  const kept = () =>
    chain.rows(
      'attribution',
      "select dimensions ->> 'agent_id' as agent, count(*)::int as count from cost_fact group by 1",
    );
  for (const restored of [false, true]) {
    if (restored) await chain.restore('attribution', before);
    await startRebuild(chain.context('attribution', organizationId), {});
    await chain.settle();
    expect((await chain.differences()).filter((line) => !line.startsWith('end users'))).toEqual([]);
    expect(await kept()).toEqual([{ agent: 'kept', count: 6 }]);
    expect(await chain.rows('attribution', "select 1 from end_user where external_id = 'gone'")).toEqual([]);
  }
});

it('both databases are restored, to different states', async () => {
  await chain.send(organizationId, events(5));
  await chain.settle();
  const ofAttribution = await chain.backUp('attribution');
  await chain.send(organizationId, events(5));
  await chain.settle();
  const ofCosting = await chain.backUp('costing');
  await chain.send(organizationId, events(5));
  await chain.settle();
  await chain.restore('costing', ofCosting);
  await chain.restore('attribution', ofAttribution);
  await chain.send(organizationId, events(1));
  await chain.settle();
  expect(await chain.differences()).toEqual([]);
  expect(await facts()).toBe(11);
});
