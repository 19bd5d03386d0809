/** Prices queued events: several jobs in one transaction, of one organization if it has enough, else of several. */
import type { Job } from '#platform/job-loop.ts';
import { observedGauges } from '#platform/metrics.ts';
import { PRICING_EVENTS_MIN, PRICING_WORKERS } from '../config.ts';
import { countUnpricedEvents } from '../ledger/unpriced-event.table.ts';
import { CLAIM_BOUNDS, claimPricingJobs, eventsIn } from './claim-pricing-jobs.step.ts';
import { BEFORE_ALL, findDueOrganizations, type Turn } from './due-organizations.query.ts';
import { priceClaimedJobs, type PriceEventsOptions, type PricingLoops } from './price-claimed-jobs.step.ts';
import { PRICING_CHANNEL } from './pricing-job.table.ts';

const UNPRICED = [
  ['pending_rate_card', 'no_rate_card'],
  ['failed', 'failed'],
] as const;

export function priceEventsJob(
  { database, log, bounds = CLAIM_BOUNDS }: PriceEventsOptions,
  loops: PricingLoops = { busy: 0 },
): Job {
  /** Shared by all loops of this process. */
  const turn: Turn = { organizationId: BEFORE_ALL, isQuiet: false };
  observedGauges(
    {
      name: 'books_usage_events_unpriced',
      help: 'Processed usage events without a cost: no rate card matches, or they failed.',
      labels: ['reason'],
      freshSeconds: 60,
    },
    async () => {
      const counts = await database.system(countUnpricedEvents);
      return UNPRICED.map(([status, reason]) => ({
        labels: { reason },
        value: counts.find((count) => count.status === status)?.events ?? 0,
      }));
    },
  );
  return {
    name: 'price-events',
    restMilliseconds: 500,
    parallel: PRICING_WORKERS,
    channel: PRICING_CHANNEL,
    async step() {
      const due = await findDueOrganizations(database, turn);
      if (due?.length === 0) return 'idle';
      let isBusy = false;
      const held = await priceClaimedJobs(database, log, async (tx) => {
        const jobs = await claimPricingJobs(tx, turn, bounds, due);
        isBusy = jobs.at(-1)?.organizationId === jobs[0]?.organizationId && eventsIn(jobs) >= PRICING_EVENTS_MIN;
        if (isBusy) loops.busy++;
        return jobs;
      }).finally(() => {
        if (isBusy) loops.busy--;
      });
      turn.isQuiet = held.length === 0;
      return turn.isQuiet ? 'idle' : 'more';
    },
  };
}
