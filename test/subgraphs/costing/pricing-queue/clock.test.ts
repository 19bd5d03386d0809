/** A process with a wrong clock delays neither its own events nor others', and the metric shows how long they wait. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { getPricingBacklog } from '../../../../subgraphs/costing/pricing-queue/get-pricing-backlog.operation.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { call, type Costing, startCosting } from '../costing-builder.ts';

let pricing: Costing;
beforeEach(async () => {
  pricing = await startCosting();
  await setRate(pricing.global, { model: 'acme-1', input: '1', output: '0' });
});
afterEach(async () => {
  vi.useRealTimers();
  await pricing.close();
});

it.each([
  ['ahead', 3_600_000],
  ['behind', -3_600_000],
])('events of a sender whose clock is an hour %s are priced at once', async (_where, offset) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + offset });
  const events = [call({ event_invoked_at: new Date(Date.now() - 7_200_000).toISOString() })];
  await pricing.send(events);
  vi.useRealTimers();
  const { pendingEvents, oldestPendingSeconds } = await getPricingBacklog(pricing.global);
  expect(pendingEvents).toBe(1);
  expect(oldestPendingSeconds).toBeLessThan(600);
  await pricing.settle();
  expect(await pricing.counts()).toMatchObject({ completed: 1, pending: 0 });
});

it('a job that was queued by a process with a fast clock is due at once', async () => {
  await pricing.send([call()]);
  await pricing.rows("update pricing_job set next_attempt_at = now() + interval '1 hour' returning 1");
  await pricing.settle();
  expect(await pricing.counts()).toMatchObject({ completed: 1, pending: 0 });
});

it('the age of the oldest event is the time since it was queued', async () => {
  await pricing.send([call()]);
  await pricing.rows("update pricing_job set created_at = now() - interval '90 seconds' returning 1");
  const { oldestPendingSeconds } = await getPricingBacklog(pricing.global);
  expect(Math.floor(oldestPendingSeconds / 90)).toBe(1);
});
