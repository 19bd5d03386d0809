import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CostFact, FeedPosition, PricedBatch } from '../../../../schema/priced-feed.ts';
import { query } from '../../../../platform/database/sql.ts';
import { pruneFeedJob } from '../../../../subgraphs/costing/feed/prune-feed.job.ts';
import { getPricedFeed } from '../../../../subgraphs/costing/feed/get-priced-feed.operation.ts';
import { getPricingBacklog } from '../../../../subgraphs/costing/pricing/queue/get-pricing-backlog.operation.ts';
import { reprice } from '../../../../subgraphs/costing/repricing/reprice.operation.ts';
import { setRate } from '../../../../subgraphs/costing/rates/catalogue/set-rate.operation.ts';
import { call, calls, type Costing, startCosting } from '../costing-builder.ts';

let pricing: Costing;
beforeEach(async () => {
  pricing = await startCosting();
  await setRate(pricing.global, { model: 'acme-1', input: '1', output: '0' });
});
afterEach(() => pricing.close());

/** Follows from a position until nothing more comes. */
async function follow(
  follower: string,
  from: FeedPosition | null,
  batchesMax = 20,
): Promise<{ batches: PricedBatch[]; position: FeedPosition | null }> {
  const batches: PricedBatch[] = [];
  let position = from;
  for (;;) {
    const page = await getPricedFeed(pricing.global, { follower, position, batchesMax });
    batches.push(...page.batches);
    position = page.batches.at(-1)?.position ?? position;
    if (page.batches.length === 0) return { batches, position };
  }
}

const keys = (batches: readonly PricedBatch[]) =>
  batches.flatMap(({ facts }) => facts.map((fact: CostFact) => `${fact.eventId}/${fact.sequence}`)).toSorted();
const ledger = async () =>
  (await pricing.rows<{ key: string }>("select event_id || '/' || sequence as key from cost_entry where livemode"))
    .map(({ key }) => key)
    .toSorted();
const priced = async (count: number, more = {}) => {
  await pricing.send(calls(count, more));
  await pricing.settle();
};

describe('a batch', () => {
  it('says all that costs are broken down by', async () => {
    const [id] = await pricing.send([
      call({
        user_id: 'kim',
        provider: 'OpenAI',
        agent_id: 'a-1',
        session_id: 's',
        span_id: 'p',
        metadata: { team: 'x', level: 3, on: true, deep: { no: 1 }, long: 'l'.repeat(300) },
        experiment: { experiment_id: 'e', variant: 'v' },
        cache_read_input_tokens: 0,
        event_invoked_at: '2026-01-02T03:04:05.678Z',
      }),
    ]);
    await pricing.settle();
    const { batches } = await follow('f', null);
    expect(batches).toEqual([
      {
        organizationId: pricing.organizationId,
        position: expect.anything(),
        endUsers: [{ externalId: 'kim', firstSeenAt: '2026-01-02T03:04:05.678000Z' }],
        facts: [
          {
            eventId: id,
            sequence: 0,
            eventTime: '2026-01-02T03:04:05.678000Z',
            endUserExternalId: 'kim',
            modelSlug: 'acme-1',
            providerId: 'openai',
            providerSlug: 'openai',
            providerName: 'OpenAI',
            providerReported: true,
            inputTokens: 1000,
            outputTokens: 100,
            cacheCreationInputTokens: null,
            cacheReadInputTokens: 0,
            reasoningTokens: null,
            totalCost: '0.001',
            inputCost: '0.001',
            outputCost: '0',
            cacheCreationCost: null,
            cacheReadCost: '0',
            reasoningCost: null,
            dimensions: { team: 'x', level: '3', on: 'true', agent_id: 'a-1', experiment_id: 'e', variant: 'v' },
            sessionId: 's',
            spanId: 'p',
            parentSpanId: null,
          },
        ],
      },
    ]);
  });

  it('announces end users whose events wait for a price', async () => {
    await pricing.send([call({ model: 'unknown', user_id: 'early' })]);
    await pricing.settle();
    const { batches } = await follow('f', null);
    expect(
      batches.map(({ facts, endUsers }) => ({ facts, users: endUsers.map(({ externalId }) => externalId) })),
    ).toEqual([{ facts: [], users: ['early'] }]);
  });
});

it('a batch that commits late, under an older transaction and a lower id, is not passed by', async () => {
  await priced(1);
  const { batches: past, position: caughtUp } = await follow('f', null);
  let finish!: () => void;
  const mayFinish = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let started!: () => void;
  const hasStarted = new Promise<void>((resolve) => {
    started = resolve;
  });
  const late = pricing.database.acrossOrganizations(async (em) => {
    await query(em, 'insert into priced_batch (organization_id, body, size) values ($1, $2::json, 1)', [
      pricing.organizationId,
      '{"facts":[],"endUsers":[{"externalId":"late","firstSeenAt":"2026-01-01T00:00:00Z"}]}',
    ]);
    started();
    await mayFinish;
  });
  await hasStarted;
  await priced(10);
  // By id alone the follower would read the second row now, and never the first, whose id is lower.
  expect(await pricing.rows('select id::int from priced_batch order by id')).toEqual([{ id: 1 }, { id: 3 }]);
  const before = await follow('f', caughtUp);
  finish();
  await late;
  const after = await follow('f', before.position);
  const seen = [...past, ...before.batches, ...after.batches];
  expect(seen.flatMap(({ endUsers }) => endUsers.map(({ externalId }) => externalId))).toEqual(['late']);
  expect(keys(seen)).toEqual(await ledger());
});

describe('a follower', () => {
  it('is told everything once, whatever the size of its pages', async () => {
    for (let round = 0; round < 5; round++) await priced(30);
    const { batches } = await follow('f', null, 1);
    expect(keys(batches)).toEqual(await ledger());
  });

  it('that starts again is brought the ledger, with corrections after their cost, then the feed', async () => {
    await priced(120, { event_invoked_at: new Date(Date.now() - 86_400_000).toISOString() });
    await pricing.send([call({ model: 'unknown', user_id: 'waiting' })]);
    await pricing.settle();
    const first = await follow('a', null);
    await follow('a', first.position);
    await setRate(pricing.global, { model: 'acme-1', input: '2', output: '0', effectiveFrom: '2020-01-01' });
    await reprice(pricing.operator, { start: '2020-01-01', end: new Date().toISOString(), dryRun: false });
    const { position } = await follow('a', first.position);
    await follow('a', position);
    await pruneFeedJob({ database: pricing.database }).step();
    expect(await pricing.rows('select count(*)::int as rows from priced_batch')).toEqual([{ rows: 0 }]);

    const again = await follow('b', null);
    expect(keys(again.batches)).toEqual(await ledger());
    expect(again.batches.flatMap(({ endUsers }) => endUsers.map(({ externalId }) => externalId))).toEqual(['waiting']);
    const order = again.batches.flatMap(({ facts }) => facts.map(({ eventId, sequence }) => ({ eventId, sequence })));
    for (const { eventId } of order.filter(({ sequence }) => sequence === 1)) {
      expect(order.filter((fact) => fact.eventId === eventId).map(({ sequence }) => sequence)).toEqual([0, 1]);
    }
    await priced(5);
    expect(keys([...again.batches, ...(await follow('b', again.position)).batches])).toEqual(await ledger());
  });

  it('that begins while events are being priced misses none and gets none twice', async () => {
    await priced(3_000);
    let busy = true;
    const working = (async () => {
      for (let round = 0; round < 15; round++) await priced(200);
      busy = false;
    })();
    const batches: PricedBatch[] = [];
    let position: FeedPosition | null = null;
    while (busy) {
      const found = await follow('f', position, 2);
      batches.push(...found.batches);
      position = found.position;
    }
    await working;
    batches.push(...(await follow('f', position)).batches);
    expect(keys(batches)).toEqual(await ledger());
  });

  it('whose position was pruned is brought what came after it from the ledger', async () => {
    await priced(20);
    const early = await follow('f', null);
    await priced(1);
    const rest = await follow('f', early.position);
    await follow('f', rest.position);
    await priced(7);
    const last = await follow('f', rest.position);
    await follow('f', last.position);
    await pruneFeedJob({ database: pricing.database }).step();
    const again = await follow('f', rest.position);
    expect(keys(again.batches)).toHaveLength(7);
    expect(keys([...early.batches, ...rest.batches, ...again.batches])).toEqual(await ledger());
  });

  it('holds back the pruning of what it has not acknowledged', async () => {
    await priced(5);
    const first = await follow('fast', null);
    await follow('slow', null);
    await priced(5);
    await follow('fast', (await follow('fast', first.position)).position);
    await pruneFeedJob({ database: pricing.database }).step();
    expect(await pricing.rows('select size from priced_batch')).toEqual([{ size: 5 }]);
    expect((await getPricingBacklog(pricing.global)).feedLag).toBe(1);
  });

  it('cannot make up a position', async () => {
    for (const position of ['x', 7, {}, { xid: '1; drop', id: '1' }, { xid: '1', id: '1', replay: {} }]) {
      await expect(getPricedFeed(pricing.global, { follower: 'f', position, batchesMax: 20 })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
    }
  });
});

it('the backlog counts what waits for its turn and what followers have not taken', async () => {
  await pricing.send(calls(3));
  expect(await getPricingBacklog(pricing.global)).toMatchObject({ pendingEvents: 3, feedLag: 0 });
  await pricing.settle();
  expect(await getPricingBacklog(pricing.global)).toEqual({ pendingEvents: 0, feedLag: 1, oldestPendingSeconds: 0 });
  const { position } = await follow('f', null);
  await follow('f', position);
  expect(await getPricingBacklog(pricing.global)).toEqual({ pendingEvents: 0, feedLag: 0, oldestPendingSeconds: 0 });
});
