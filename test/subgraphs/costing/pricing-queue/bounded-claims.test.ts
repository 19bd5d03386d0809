/** Waiting events of an organization, however many or large, are priced in transactions of bounded size. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClaimBounds } from '../../../../subgraphs/costing/pricing-queue/claim-pricing-jobs.step.ts';
import { FEED_BATCH_BYTES, FEED_BATCH_ITEMS, REQUEUE_JOB_BYTES } from '../../../../subgraphs/costing/config.ts';
import { priceEventsJob } from '../../../../subgraphs/costing/pricing-queue/price-events.job.ts';
import { aFollower } from '../a-follower.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { call, calls, log, type Costing, startCosting } from '../costing-builder.ts';

let pricing: Costing;
beforeEach(async () => {
  pricing = await startCosting();
});
afterEach(() => pricing.close());

const BOUNDS: ClaimBounds = { jobsMax: 20, eventsMax: 30, bytesMax: 1_000_000, organizationsMax: 1 };
const fat = (bytes: number) => ({ metadata: { text: 'x'.repeat(bytes) } });

const rate = () => setRate(pricing.global, { model: 'acme-1', input: '1', output: '0' });

async function priceAll(bounds: ClaimBounds): Promise<void> {
  const job = priceEventsJob({ database: pricing.database, log, bounds });
  while ((await job.step()) === 'more');
}

const entriesByTransaction = async (): Promise<number[]> =>
  (
    await pricing.rows<{ count: number }>(
      'select count(*)::int as count from cost_entry group by recorded_at order by recorded_at',
    )
  ).map(({ count }) => count);

describe('a claim', () => {
  it('has no more events than its limit, even if its jobs have more', async () => {
    await rate();
    for (let batch = 0; batch < 9; batch++) await pricing.send(calls(12));
    await priceAll(BOUNDS);
    expect(await entriesByTransaction()).toEqual([24, 24, 24, 24, 12]);
  });

  it('has no more metadata than its limit', async () => {
    await rate();
    for (let batch = 0; batch < 5; batch++) await pricing.send(calls(3, fat(10_000)));
    await priceAll({ ...BOUNDS, bytesMax: 65_000 });
    expect(await entriesByTransaction()).toEqual([6, 6, 3]);
  });

  it('takes a single job that exceeds the limits', async () => {
    await rate();
    await pricing.send(calls(40, fat(100)));
    await priceAll({ ...BOUNDS, bytesMax: 10 });
    expect(await entriesByTransaction()).toEqual([40]);
  });

  it('collects small jobs up to the limit', async () => {
    await rate();
    for (let batch = 0; batch < 70; batch++) await pricing.send([call()]);
    await priceAll(BOUNDS);
    expect(await entriesByTransaction()).toEqual([30, 30, 10]);
  });

  it('serves another organization after each one: a long queue blocks nobody', async () => {
    await rate();
    for (let batch = 0; batch < 8; batch++) await pricing.send(calls(20));
    const other = await startCosting(pricing.database);
    await other.send(calls(2));
    const job = priceEventsJob({ database: pricing.database, log, bounds: BOUNDS });
    await job.step();
    await job.step();
    expect([(await pricing.counts()).completed, (await other.counts()).completed]).toEqual([20, 2]);
  });
});

it('waiting events are requeued in jobs of bounded bytes', async () => {
  await pricing.send(calls(250, fat(10_000)));
  await pricing.settle();
  await rate();
  const jobs = await pricing.rows<{ events: number; bytes: number; real: number }>(`
    select cardinality(event_ids) as events, bytes,
      (select sum(octet_length(metadata::text))::int from usage_event event
        where event.organization_id = job.organization_id and event.id = any(event_ids)) as real from pricing_job job`);
  expect(jobs.reduce((total, { events }) => total + events, 0)).toBe(250);
  expect(jobs.map(({ bytes }) => bytes)).toEqual(jobs.map(({ real }) => real));
  expect(Math.max(...jobs.map(({ bytes }) => bytes))).toBeLessThanOrEqual(REQUEUE_JOB_BYTES);
  await pricing.settle();
  expect(await pricing.counts()).toMatchObject({ completed: 250, pendingRateCard: 0, pending: 0 });
});

describe('a batch of the feed', () => {
  const batches = () =>
    pricing.rows<{ facts: number; endUsers: number; bytes: number }>(`
    select json_array_length(body->'facts') as facts, json_array_length(body->'endUsers') as end_users, octet_length(body::text) as bytes
    from priced_batch order by number`);

  it.each([
    ['many events', 1_200, (index: number) => ({ user_id: `user-${index}` })],
    [
      'fat ones',
      200,
      (index: number) => ({
        metadata: Object.fromEntries(
          Array.from({ length: 90 }, (_, key) => [`k${key}`, `${index}-${'y'.repeat(240)}`]),
        ),
      }),
    ],
  ])('can be processed as a whole, for a transaction with %s', async (_kind, count, more) => {
    await rate();
    await pricing.send(Array.from({ length: count }, (_, index) => call(more(index))));
    await priceAll({ ...BOUNDS, jobsMax: 100, eventsMax: 10_000, bytesMax: 100_000_000 });
    expect(await entriesByTransaction()).toEqual([count]);
    const sizes = await batches();
    expect(Math.max(...sizes.flatMap(({ facts, endUsers }) => [facts, endUsers]))).toBeLessThanOrEqual(
      FEED_BATCH_ITEMS,
    );
    expect(Math.max(...sizes.map(({ bytes }) => bytes))).toBeLessThan(2 * FEED_BATCH_BYTES + 100_000);
    expect(sizes.length).toBeGreaterThan(2);
    const followed = await aFollower(pricing.global, 'f', 1).follow();
    const events = followed.flatMap(({ facts }) => facts.map(({ eventId }) => eventId));
    expect([events.length, new Set(events).size]).toEqual([count, count]);
  });
});
