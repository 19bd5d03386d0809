import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { query } from '#platform/database/sql.ts';
import { priceEventsJob } from '../../../../subgraphs/costing/pricing-queue/price-events.job.ts';
import { retryFailedEvents } from '../../../../subgraphs/costing/pricing-queue/retry-failed-events.operation.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { call, calls, log, type Costing, startCosting } from '../costing-builder.ts';

let pricing: Costing;
beforeEach(async () => {
  pricing = await startCosting();
});
afterEach(() => pricing.close());

const none = { completed: 0, failed: 0, pending: 0, pendingRateCard: 0 };

describe('a process whose clock is an hour off', () => {
  it.each([-1, 1])('by %i h: events that the process accepts are priced at once', async (hours) => {
    await setRate(pricing.global, { model: 'acme', input: '3', output: '15', effectiveFrom: '2000-01-01' });
    const events = [call()];
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 });
    try {
      await pricing.send(events);
    } finally {
      vi.useRealTimers();
    }
    await pricing.settle();
    expect(await pricing.counts()).toEqual({ ...none, completed: 1 });
  });

  it.each([-1, 1])('(%i): it prices events that others accept', async (hours) => {
    await setRate(pricing.global, { model: 'acme', input: '3', output: '15', effectiveFrom: '2000-01-01' });
    await pricing.send([call()]);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 });
    try {
      await pricing.settle();
    } finally {
      vi.useRealTimers();
    }
    expect(await pricing.counts()).toEqual({ ...none, completed: 1 });
  });
});

describe('an event whose model has no card', () => {
  it('waits, and is priced when a card is added', async () => {
    const [id] = await pricing.send([call()]);
    expect(await pricing.counts()).toEqual({ ...none, pending: 1 });
    await pricing.settle();
    expect(await pricing.counts()).toEqual({ ...none, pendingRateCard: 1 });

    const { requeuedEvents } = await setRate(pricing.global, { model: 'acme', input: '3', output: '15' });
    expect(requeuedEvents).toBe(1);
    expect(await pricing.counts()).toEqual({ ...none, pending: 1 });
    await pricing.settle();
    expect(await pricing.counts()).toEqual({ ...none, completed: 1 });
    expect(await pricing.costs()).toEqual({ [id!]: '0.0045' });
  });

  it('is priced at the rate in force at its own time', async () => {
    const at = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const [old, recent] = await pricing.send([call({ event_invoked_at: at(10) }), call({ event_invoked_at: at(1) })]);
    await pricing.settle();
    expect(
      await setRate(pricing.global, { model: 'acme-1', input: '1', output: '0', effectiveFrom: at(5) }),
    ).toMatchObject({ requeuedEvents: 1 });
    expect(
      await setRate(pricing.global, { model: 'acme-1', input: '2', output: '0', effectiveFrom: at(20) }),
    ).toMatchObject({ requeuedEvents: 1 });
    await pricing.settle();
    expect(await pricing.costs()).toEqual({ [old!]: '0.002', [recent!]: '0.001' });
  });

  it('is not affected by a card of another organization or another model', async () => {
    const other = await startCosting(pricing.database);
    await pricing.send([call()]);
    await pricing.settle();
    expect(await setRate(other.operator, { model: 'acme-1', input: '1', output: '1' })).toMatchObject({
      requeuedEvents: 0,
    });
    expect(await setRate(pricing.operator, { model: 'acme-2', input: '1', output: '1' })).toMatchObject({
      requeuedEvents: 0,
    });
    expect(await setRate(pricing.operator, { model: 'acme-1', input: '1', output: '1' })).toMatchObject({
      requeuedEvents: 1,
    });
  });
});

it('the organization’s own card takes precedence over a standard one', async () => {
  await setRate(pricing.global, { model: 'acme-1', input: '3', output: '0' });
  await setRate(pricing.operator, { model: 'acme-1', input: '1', output: '0' });
  const [id] = await pricing.send([call()]);
  await pricing.settle();
  expect(await pricing.costs()).toEqual({ [id!]: '0.001' });
});

it('a cost override is the total, and needs no card', async () => {
  const [id] = await pricing.send([call({ cost_override: '0.123456789012345' })]);
  await pricing.settle();
  expect(await pricing.costs()).toEqual({ [id!]: '0.123456789012345' });
  expect(
    await pricing.rows(
      'select input_cost::float8 as input, output_cost::float8 as output, cache_read_cost as cache from cost_entry',
    ),
  ).toEqual([{ input: 0, output: 0, cache: null }]);
});

it('events of test keys are priced, but neither counted nor published', async () => {
  await setRate(pricing.global, { model: 'acme-1', input: '1', output: '0' });
  await pricing.send([call(), call({ model: 'unknown' })], pricing.test);
  await pricing.settle();
  expect(Object.values(await pricing.costs())).toEqual(['0.001']);
  expect(await pricing.counts()).toEqual(none);
  expect(await pricing.rows('select 1 from priced_batch')).toEqual([]);
});

describe('an event that cannot be priced at all', () => {
  /** An event whose cost has more integer digits than the ledger can store. */
  const poison = () => call({ model: 'huge', units: '999999999999' });

  beforeEach(async () => {
    await setRate(pricing.global, { model: 'acme-1', input: '1', output: '0' });
    await setRate(pricing.global, { model: 'huge', unitPrice: '999999999' });
  });

  it('does not block others, and is failed after its last attempt', async () => {
    await pricing.send([...calls(60), poison(), ...calls(38), poison()]);
    await pricing.settle();
    expect(await pricing.counts()).toEqual({ ...none, completed: 98, pending: 2 });
    for (let attempt = 0; attempt < 5; attempt++) {
      await pricing.rows("update pricing_job set next_attempt_at = now() - interval '1 second' returning 1");
      await pricing.settle();
    }
    expect(await pricing.counts()).toEqual({ ...none, completed: 98, failed: 2 });
    expect(await pricing.rows('select distinct status, reason from unpriced_event')).toEqual([
      { status: 'failed', reason: expect.stringContaining('numeric field overflow') },
    ]);
  });

  it('waits longer before each further attempt', async () => {
    await pricing.send([poison()]);
    await pricing.settle();
    const [job] = await pricing.rows(
      'select attempt, alone, last_error, next_attempt_at > created_at as later from pricing_job',
    );
    // The job has had more than one attempt if a busy machine takes longer than the first wait.
    expect(job).toEqual({
      attempt: expect.any(Number),
      alone: true,
      lastError: expect.stringContaining('overflow'),
      later: true,
    });
  });

  it('is retried when an operator asks', async () => {
    await pricing.send([poison()]);
    for (let attempt = 0; attempt < 6; attempt++) {
      await pricing.settle();
      await pricing.rows("update pricing_job set next_attempt_at = now() - interval '1 second' returning 1");
    }
    expect(await pricing.counts()).toEqual({ ...none, failed: 1 });
    await setRate(pricing.global, { model: 'huge', unitPrice: '0.000000001', effectiveFrom: '2000-01-01' });
    expect(await retryFailedEvents(pricing.operator)).toBe(1);
    await pricing.settle();
    expect(await pricing.counts()).toEqual({ ...none, completed: 1 });
    expect(Object.values(await pricing.costs())).toEqual(['999.999999999']);
  });
});

it('a step that is rolled back changes nothing and keeps the jobs', async () => {
  await setRate(pricing.global, { model: 'acme-1', input: '1', output: '0' });
  await pricing.send(calls(50));
  const broken = {
    ...pricing.database,
    system: ((work) =>
      pricing.database.system(async (tx) => {
        await work(tx);
        throw Object.assign(new Error('The server went away'), { code: '57P01' });
      })) as typeof pricing.database.system,
  };
  await expect(priceEventsJob({ database: broken, log }).step()).rejects.toThrow('went away');
  expect(await pricing.counts()).toEqual({ ...none, pending: 50 });
  expect(
    await pricing.rows(
      'select (select count(*) from cost_entry)::int as entries, (select count(*) from priced_batch)::int as batches',
    ),
  ).toEqual([{ entries: 0, batches: 0 }]);
  await pricing.settle();
  expect(await pricing.counts()).toEqual({ ...none, completed: 50 });
});

it('several workers price every event exactly once, without blocking each other', async () => {
  await setRate(pricing.global, { model: 'acme-1', input: '1', output: '0' });
  const others = await Promise.all([startCosting(pricing.database), startCosting(pricing.database)]);
  const all = [pricing, ...others];
  await Promise.all(all.map((one) => one.send(calls(1_500))));
  await Promise.all([pricing, pricing, ...all].map((one) => one.settle()));
  for (const one of all) expect(await one.counts()).toEqual({ ...none, completed: 1_500 });
  const [totals] = await pricing.rows(`select (select count(*)::int from cost_entry) as entries,
    (select sum(json_array_length(body->'facts'))::int from priced_batch) as facts, (select trim_scale(sum(total_cost))::text from cost_hour) as cost`);
  expect(totals).toEqual({ entries: 4_500, facts: 4_500, cost: '4.5' });
});

it('no event begins to wait for a card that is being written', async () => {
  const events = Array.from({ length: 40 }, () => [call({ model: 'late-1' })]);
  const writing = Promise.all(events.map((batch) => pricing.send(batch)));
  const pricingThem = (async () => {
    for (let round = 0; round < 20; round++) await pricing.settle();
  })();
  await setRate(pricing.global, { model: 'late', input: '1', output: '0' });
  await Promise.all([writing, pricingThem]);
  await pricing.settle();
  expect(await pricing.counts()).toEqual({ ...none, completed: 40 });
});

it('a cached match is discarded when rates change, even after a rollback', async () => {
  const [first] = await pricing.send([call()]);
  await pricing.settle();
  await expect(
    pricing.database.system(async (tx) => {
      await query(tx, 'insert into rate_generation values ($1, pg_current_xact_id(), now())', [randomUUID()]);
      throw new Error('rolled back');
    }),
  ).rejects.toThrow('rolled back');
  await setRate(pricing.operator, { model: 'acme-1', input: '1', output: '0' });
  await setRate(pricing.operator, { model: 'acme-1', input: '2', output: '0', effectiveFrom: '2020-01-01' });
  await pricing.settle();
  expect(await pricing.costs()).toEqual({ [first!]: '0.002' });
});
