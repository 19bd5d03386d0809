/** Prices queued events: several jobs of one organization in one transaction, which deletes them. So each is priced exactly once. */
import { now } from '../../../../platform/clock.ts';
import type { Database, EntityManager } from '../../../../platform/database/open-database.ts';
import type { Job } from '../../../../platform/job-loop.ts';
import type { Log } from '../../../../platform/log.ts';
import { pricedEvents } from '../../../../platform/metrics.ts';
import { PRICING_EVENTS_MAX, PRICING_EVENTS_MIN, PRICING_JOBS_MAX, PRICING_WORKERS } from '../../config.ts';
import { insertCostEntries } from '../../ledger/cost-entry.table.ts';
import { addToCostHours } from '../../ledger/cost-hour.table.ts';
import { readPriceableEvents } from '../priceable-event.query.ts';
import { publishBatch } from '../../feed/priced-batch.table.ts';
import {
  type ClaimedJob, claimMoreJobs, claimPricingJobs, deletePricingJobs, holdPricingJobs, PRICING_CHANNEL,
} from './pricing-job.table.ts';
import { shareRates } from '../../rates/rate-generation.table.ts';
import { recordEventFailures, recordPricingFailure } from './record-pricing-failure.step.ts';
import { resolveRateCards } from '../../rates/resolve-rate-card.step.ts';
import { insertUnpricedEvents } from '../../ledger/unpriced-event.table.ts';
import { priceBatch } from './price-batch.ts';
import { isEventFault } from './pricing-attempts.ts';

export function priceEventsJob({ database, log }: { readonly database: Database; readonly log: Log }): Job {
  return {
    name: 'price-events', restMilliseconds: 500, parallel: PRICING_WORKERS, channel: PRICING_CHANNEL,
    step: () => priceEvents(database, log),
  };
}

/** One transaction's worth. On a failure nothing of it stands; a second transaction records what to do with the jobs. */
async function priceEvents(database: Database, log: Log): Promise<'more' | 'idle'> {
  let held: readonly ClaimedJob[] = [];
  try {
    const counts = await database.acrossOrganizations(async (em) => {
      await shareRates(em);
      held = await claim(em);
      return priceJobs(em, held);
    });
    for (const [status, events] of Object.entries(counts)) if (events > 0) pricedEvents.inc({ status }, events);
  } catch (error) {
    const [first] = held;
    if (!first || !isEventFault(error)) throw error;
    log.warn({ err: error, organizationId: first.organizationId, jobs: held.length }, 'Events could not be priced together');
    const reason = error instanceof Error ? error.message : String(error);
    await database.acrossOrganizations(async (em) =>
      recordPricingFailure(em, await holdPricingJobs(em, first.organizationId, held.map(({ id }) => id)), reason, now()));
  }
  return held.length > 0 ? 'more' : 'idle';
}

/** Enough jobs of one organization to be worth a transaction, where there are so many. */
async function claim(em: EntityManager): Promise<ClaimedJob[]> {
  const at = now();
  const jobs = await claimPricingJobs(em, at, PRICING_JOBS_MAX);
  const [first] = jobs;
  let events = eventsIn(jobs);
  while (first && !first.alone && jobs.length >= PRICING_JOBS_MAX && events < PRICING_EVENTS_MIN) {
    const wanted = Math.ceil((PRICING_EVENTS_MAX - events) * jobs.length / Math.max(events, 1));
    const more = await claimMoreJobs(em, first.organizationId, at, jobs.map(({ id }) => id), Math.min(wanted, PRICING_EVENTS_MAX));
    if (more.length === 0) break;
    jobs.push(...more);
    events = eventsIn(jobs);
  }
  return jobs;
}

/** How many events came to which state. */
async function priceJobs(em: EntityManager, jobs: readonly ClaimedJob[]): Promise<Readonly<Record<string, number>>> {
  const [first] = jobs;
  if (!first) return {};
  const { organizationId } = first;
  const at = now();
  const events = await readPriceableEvents(em, organizationId, jobs.flatMap(({ eventIds }) => eventIds));
  const { entries, unpriced, hours, facts, endUsers, faults } = priceBatch(events, await resolveRateCards(em, organizationId, events));
  await insertCostEntries(em, organizationId, at, entries);
  await insertUnpricedEvents(em, organizationId, at, unpriced);
  await deletePricingJobs(em, organizationId, jobs.map(({ id }) => id));
  await publishBatch(em, organizationId, { facts, endUsers });
  const failures = faults.map(({ event, reason }) => failureOf(jobs, event.id, reason));
  const failed = failures.length === 0 ? [] : await recordEventFailures(em, organizationId, failures, at);
  await addToCostHours(em, organizationId, [...hours, ...failed]);
  return { completed: entries.length, pending_rate_card: unpriced.length, failed: failed.length };
}

function failureOf(jobs: readonly ClaimedJob[], eventId: string, reason: string) {
  const job = jobs.find(({ eventIds }) => eventIds.includes(eventId));
  const attempt = job && job.eventIds.length === 1 ? job.attempt + 1 : 1;
  return { eventId, attempt, reason, createdAt: job?.createdAt ?? now() };
}

function eventsIn(jobs: readonly ClaimedJob[]): number {
  return jobs.reduce((total, { eventIds }) => total + eventIds.length, 0);
}
