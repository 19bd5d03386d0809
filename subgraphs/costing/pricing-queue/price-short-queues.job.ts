/**
 * Prices organizations with short queues while all other loops are pricing many events of one organization, so that they
 * do not wait for it. Does nothing otherwise.
 */
import type { Job } from '#platform/job-loop.ts';
import { PRICING_WORKERS } from '../config.ts';
import { CLAIM_BOUNDS, claimOfOne } from './claim-pricing-jobs.step.ts';
import { BEFORE_ALL, findShortQueues } from './due-organizations.query.ts';
import { priceClaimedJobs, type PriceEventsOptions, type PricingLoops } from './price-claimed-jobs.step.ts';
import { PRICING_CHANNEL } from './pricing-job.table.ts';

export function priceShortQueuesJob(
  { database, log, bounds = CLAIM_BOUNDS }: PriceEventsOptions,
  loops: PricingLoops,
): Job {
  let after = BEFORE_ALL;
  return {
    name: 'price-short-queues',
    restMilliseconds: 500,
    channel: PRICING_CHANNEL,
    async step() {
      if (loops.busy < PRICING_WORKERS) return 'idle';
      const short = await findShortQueues(database, after);
      if (short.length === 0) return 'idle';
      const [first] = await priceClaimedJobs(database, log, async (tx) => (await claimOfOne(tx, short, bounds)).jobs);
      if (!first) return 'idle';
      after = first.organizationId;
      return 'more';
    },
  };
}
