/** Prices queued events: several jobs of one organization in one transaction, which deletes them. So each is priced exactly once. */
import { now } from '../../../../platform/clock.ts';
import type { Database, EntityManager } from '../../../../platform/database/open-database.ts';
import type { Job } from '../../../../platform/job-loop.ts';
import type { Log } from '../../../../platform/log.ts';
import { counter } from '../../../../platform/metrics.ts';
import { mapInSlices } from '../../../../platform/slices.ts';
import {
  PRICING_BYTES_MAX,
  PRICING_EVENTS_MAX,
  PRICING_EVENTS_MIN,
  PRICING_JOBS_MAX,
  PRICING_SLICE_EVENTS,
  PRICING_WORKERS,
} from '../../config.ts';
import { bookLate } from '../../ledger/book-late.ts';
import { findClosedUntil } from '../../ledger/cost-closing.table.ts';
import { insertCostEntries } from '../../ledger/cost-entry.table.ts';
import { addToCostHours } from '../../ledger/cost-hour.table.ts';
import { type PriceableEvent, readPriceableEvents } from '../priceable-event.query.ts';
import { publishBatches } from '../../feed/priced-batch.table.ts';
import {
  BEFORE_ALL,
  type ClaimBounds,
  type ClaimedJob,
  claimMoreJobs,
  claimPricingJobs,
  deletePricingJobs,
  holdPricingJobs,
  PRICING_CHANNEL,
} from './pricing-job.table.ts';
import { shareRates } from '../../rates/rate-generation.table.ts';
import { recordEventFailures, recordPricingFailure } from './record-pricing-failure.step.ts';
import { type ResolvedRate, resolveRateCards } from '../../rates/resolve-rate-card.step.ts';
import { insertUnpricedEvents } from '../../ledger/unpriced-event.table.ts';
import { priceBatch, type PricedBatchOutcome } from './price-batch.ts';
import { seenEndUsers } from '../../feed/seen-end-users.ts';
import { isContentError } from '../../../../platform/content-error.ts';

const pricedEvents = counter(
  'usage_events_priced_total',
  'Usage events that have had their turn, by the state they came to.',
  ['status'],
);

const BOUNDS: ClaimBounds = { jobsMax: PRICING_JOBS_MAX, eventsMax: PRICING_EVENTS_MAX, bytesMax: PRICING_BYTES_MAX };

export interface PriceEventsOptions {
  readonly database: Database;
  readonly log: Log;
  readonly bounds?: ClaimBounds;
}

export function priceEventsJob({ database, log, bounds = BOUNDS }: PriceEventsOptions): Job {
  /** Whose turn was last; the loops of this process share it. */
  const turn = { organizationId: BEFORE_ALL };
  return {
    name: 'price-events',
    restMilliseconds: 500,
    parallel: PRICING_WORKERS,
    channel: PRICING_CHANNEL,
    step: () => priceEvents(database, log, turn, bounds),
  };
}

/** One transaction's worth. On a failure nothing of it stands; a second transaction records what to do with the jobs. */
async function priceEvents(database: Database, log: Log, turn: Turn, bounds: ClaimBounds): Promise<'more' | 'idle'> {
  let held: readonly ClaimedJob[] = [];
  try {
    const counts = await database.acrossOrganizations(async (em) => {
      await shareRates(em);
      held = await claim(em, turn, bounds);
      return priceJobs(em, held);
    });
    for (const [status, events] of Object.entries(counts)) if (events > 0) pricedEvents.inc({ status }, events);
  } catch (error) {
    const [first] = held;
    if (!first || !isContentError(error)) throw error;
    log.warn(
      { err: error, organizationId: first.organizationId, jobs: held.length },
      'Events could not be priced together',
    );
    const reason = error instanceof Error ? error.message : String(error);
    await database.acrossOrganizations(async (em) =>
      recordPricingFailure(
        em,
        await holdPricingJobs(
          em,
          first.organizationId,
          held.map(({ id }) => id),
        ),
        reason,
        now(),
      ),
    );
  }
  return held.length > 0 ? 'more' : 'idle';
}

type Turn = { organizationId: string };

/** Enough jobs of one organization to be worth a transaction, where there are so many, and no more than a transaction can bear. */
async function claim(
  em: EntityManager,
  turn: Turn,
  { jobsMax, eventsMax, bytesMax }: ClaimBounds,
): Promise<ClaimedJob[]> {
  const jobs = await claimPricingJobs(em, turn.organizationId, { jobsMax, eventsMax, bytesMax });
  const [first] = jobs;
  if (first) turn.organizationId = first.organizationId;
  let events = eventsIn(jobs);
  while (first && !first.alone && jobs.length >= jobsMax && events < PRICING_EVENTS_MIN) {
    const wanted = Math.ceil(((eventsMax - events) * jobs.length) / Math.max(events, 1));
    const more = await claimMoreJobs(
      em,
      first.organizationId,
      jobs.map(({ id }) => id),
      {
        jobsMax: Math.min(wanted, eventsMax),
        eventsMax: eventsMax - events,
        bytesMax: bytesMax - bytesIn(jobs),
      },
    );
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
  const events = await readPriceableEvents(
    em,
    organizationId,
    jobs.flatMap(({ eventIds }) => eventIds),
  );
  const priced = await priceInSlices(events, await resolveRateCards(em, organizationId, events));
  const { entries, unpriced, hours, facts, endUsers, errors } = bookLate(
    priced,
    await findClosedUntil(em, organizationId),
  );
  await insertCostEntries(em, organizationId, at, entries);
  await insertUnpricedEvents(em, organizationId, at, unpriced);
  await deletePricingJobs(
    em,
    organizationId,
    jobs.map(({ id }) => id),
  );
  await publishBatches(em, [{ organizationId, facts, endUsers }]);
  const failures = errors.map(({ event, reason }) => failureOf(jobs, event.id, reason));
  const failed = failures.length === 0 ? [] : await recordEventFailures(em, organizationId, failures, at);
  await addToCostHours(em, organizationId, [...hours, ...failed]);
  return { completed: entries.length, pending_rate_card: unpriced.length, failed: failed.length };
}

/** Requests are answered while many events are priced. */
async function priceInSlices(
  events: readonly PriceableEvent[],
  rates: readonly ResolvedRate[],
): Promise<PricedBatchOutcome> {
  const starts = Array.from(
    { length: Math.ceil(events.length / PRICING_SLICE_EVENTS) },
    (_, index) => index * PRICING_SLICE_EVENTS,
  );
  const parts = await mapInSlices(starts, (start) =>
    priceBatch(events.slice(start, start + PRICING_SLICE_EVENTS), rates.slice(start, start + PRICING_SLICE_EVENTS)),
  );
  return {
    entries: parts.flatMap(({ entries }) => entries),
    unpriced: parts.flatMap(({ unpriced }) => unpriced),
    hours: parts.flatMap(({ hours }) => hours),
    facts: parts.flatMap(({ facts }) => facts),
    endUsers: seenEndUsers(events),
    errors: parts.flatMap(({ errors }) => errors),
  };
}

function failureOf(jobs: readonly ClaimedJob[], eventId: string, reason: string) {
  const job = jobs.find(({ eventIds }) => eventIds.includes(eventId));
  const attempt = job && job.eventIds.length === 1 ? job.attempt + 1 : 1;
  return { eventId, attempt, reason, createdAt: job?.createdAt ?? now() };
}

function bytesIn(jobs: readonly ClaimedJob[]): number {
  return jobs.reduce((total, { bytes }) => total + bytes, 0);
}

function eventsIn(jobs: readonly ClaimedJob[]): number {
  return jobs.reduce((total, { eventIds }) => total + eventIds.length, 0);
}
