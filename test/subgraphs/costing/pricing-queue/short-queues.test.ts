/** An organization with few events does not wait until many events of another one are priced. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from '#platform/database/open-database.ts';
import type { ClaimBounds } from '../../../../subgraphs/costing/pricing-queue/claim-pricing-jobs.step.ts';
import type { PricingLoops } from '../../../../subgraphs/costing/pricing-queue/price-claimed-jobs.step.ts';
import { priceEventsJob } from '../../../../subgraphs/costing/pricing-queue/price-events.job.ts';
import { priceShortQueuesJob } from '../../../../subgraphs/costing/pricing-queue/price-short-queues.job.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { calls, log, type Costing, startCosting } from '../costing-builder.ts';

const BOUNDS: ClaimBounds = { jobsMax: 6, eventsMax: 1_000, bytesMax: 1_000_000, organizationsMax: 200 };

let large: Costing;
let small: Costing;
beforeEach(async () => {
  large = await startCosting();
  small = await startCosting(large.database);
  await setRate(large.global, { model: 'acme-1', input: '1', output: '0' });
});
afterEach(() => large.close());

const completed = async (costing: Costing) => (await costing.counts()).completed;

/** The loops of a process. Loops that price events of all organizations commit once `commit` is called. */
function aProcess() {
  const loops: PricingLoops = { busy: 0 };
  const { promise: committing, resolve: commit } = Promise.withResolvers<null>();
  const waiting: Database = {
    ...large.database,
    system: (work, options) =>
      large.database.system(async (tx) => {
        const done = await work(tx);
        await committing;
        return done;
      }, options),
  };
  return {
    loops,
    commit: () => commit(null),
    any: priceEventsJob({ database: waiting, log, bounds: BOUNDS }, loops),
    short: priceShortQueuesJob({ database: large.database, log, bounds: BOUNDS }, loops),
  };
}

it('a short queue is priced while all loops are pricing a long one', async () => {
  const { loops, commit, any, short } = aProcess();
  await large.send(calls(1_800));
  const steps = [any.step(), any.step()];
  await expect.poll(() => loops.busy).toBe(2);
  expect(await short.step()).toBe('idle');
  await small.send(calls(2));
  expect(await short.step()).toBe('more');
  expect([await completed(large), await completed(small)]).toEqual([0, 2]);
  expect(await short.step()).toBe('idle');
  commit();
  expect(await Promise.all(steps)).toEqual(['more', 'more']);
  expect([await completed(large), loops.busy]).toEqual([1_200, 0]);
});

it('a short queue is left to the other loops while one of them is free', async () => {
  const { loops, commit, any, short } = aProcess();
  await large.send(calls(600));
  const step = any.step();
  await expect.poll(() => loops.busy).toBe(1);
  await small.send(calls(2));
  expect(await short.step()).toBe('idle');
  commit();
  await step;
  expect([await completed(large), await completed(small)]).toEqual([600, 0]);
  await any.step();
  expect(await completed(small)).toBe(2);
});

it('a short queue frees its loop after an error', async () => {
  const { loops, commit, any } = aProcess();
  commit();
  const broken: Database = {
    ...large.database,
    system: (work, options) =>
      large.database.system(async (tx) => {
        await work(tx);
        throw new Error('The power went out');
      }, options),
  };
  await large.send(calls(600));
  await expect(priceEventsJob({ database: broken, log, bounds: BOUNDS }, loops).step()).rejects.toThrow('power');
  expect(loops.busy).toBe(0);
  await any.step();
  expect(await completed(large)).toBe(600);
});
