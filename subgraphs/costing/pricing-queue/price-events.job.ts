/**
 * Prices queued events: several jobs in one transaction, which also deletes them, so that each is priced exactly once.
 * The jobs are of one organization if it has enough, else of several; their locks are taken in the order of
 * organizations.
 */
import { now } from '#platform/clock.ts';
import { isContentError } from '#platform/content-error.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { Job } from '#platform/job-loop.ts';
import type { Log } from '#platform/log.ts';
import { counter, observedGauges } from '#platform/metrics.ts';
import {
  PRICING_BYTES_MAX,
  PRICING_EVENTS_MAX,
  PRICING_JOBS_MAX,
  PRICING_ORGANIZATIONS_MAX,
  PRICING_WORKERS,
} from '../config.ts';
import { bookLate } from '../ledger/book-late.ts';
import { findClosedMonths } from '../ledger/cost-closing.table.ts';
import { insertCostEntriesOf, type NewCostEntry } from '../ledger/cost-entry.table.ts';
import { addToCostHoursOf, type HourChange } from '../ledger/cost-hour.table.ts';
import { type SpentEntry, settleHolds } from '../holds/settle-holds.step.ts';
import { type PriceableEvent, readPriceableEventsOf } from '../pricing/priceable-event.query.ts';
import { publishBatches } from '../feed/priced-batch.table.ts';
import {
  BEFORE_ALL,
  type ClaimBounds,
  claimPricingJobs,
  findDueOrganizations,
  type Turn,
} from './claim-pricing-jobs.step.ts';
import { type ClaimedJob, deletePricingJobsOf, lockPricingJobs, PRICING_CHANNEL } from './pricing-job.table.ts';
import { shareRates } from '../rates/rate-generation.table.ts';
import { recordEventFailures, recordPricingFailure } from './record-pricing-failure.step.ts';
import { resolveRateCardsOf } from '../rates/resolve-rate-card.step.ts';
import { countUnpricedEvents, insertUnpricedEventsOf } from '../ledger/unpriced-event.table.ts';
import type { PricedBatchOutcome } from './price-batch.ts';
import { priceInSlices } from './price-in-slices.ts';

const pricedEvents = counter(
  'books_usage_events_priced_total',
  'Usage events that were processed, by resulting state.',
  ['status'],
);

const UNPRICED = [
  ['pending_rate_card', 'no_rate_card'],
  ['failed', 'failed'],
] as const;

const BOUNDS: ClaimBounds = {
  jobsMax: PRICING_JOBS_MAX,
  eventsMax: PRICING_EVENTS_MAX,
  bytesMax: PRICING_BYTES_MAX,
  organizationsMax: PRICING_ORGANIZATIONS_MAX,
};

export interface PriceEventsOptions {
  readonly database: Database;
  readonly log: Log;
  readonly bounds?: ClaimBounds;
}

export function priceEventsJob({ database, log, bounds = BOUNDS }: PriceEventsOptions): Job {
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
    step: () => priceEvents(database, log, turn, bounds),
  };
}

/**
 * Runs one transaction. A failure rolls it back completely. If it had jobs of several organizations, each is then tried
 * in its own transaction, so that events of one organization cannot block another's.
 */
async function priceEvents(database: Database, log: Log, turn: Turn, bounds: ClaimBounds): Promise<'more' | 'idle'> {
  const due = await findDueOrganizations(database, turn);
  if (due?.length === 0) return 'idle';
  let held: readonly ClaimedJob[] = [];
  try {
    await priceInTransaction(database, async (tx) => {
      held = await claimPricingJobs(tx, turn, bounds, due);
      return held;
    });
  } catch (error) {
    if (!isContentError(error)) throw error;
    const organizations = [...Map.groupBy(held, ({ organizationId }) => organizationId).values()];
    log.warn(
      { err: error, organizations: organizations.length, jobs: held.length },
      'Events could not be priced in one batch',
    );
    if (organizations.length <= 1) await recordFailure(database, held, error);
    else for (const jobs of organizations) await priceOrganization(database, log, jobs);
  }
  turn.isQuiet = held.length === 0;
  return turn.isQuiet ? 'idle' : 'more';
}

async function priceOrganization(database: Database, log: Log, jobs: readonly ClaimedJob[]): Promise<void> {
  try {
    await priceInTransaction(database, (tx) => lockAgain(tx, jobs));
  } catch (error) {
    if (!isContentError(error)) throw error;
    const organizationId = jobs[0]?.organizationId;
    log.warn(
      { err: error, organizationId, jobs: jobs.length },
      'Events of an organization could not be priced in one batch',
    );
    await recordFailure(database, jobs, error);
  }
}

/** `hold` claims the jobs, which the transaction then holds. */
async function priceInTransaction(
  database: Database,
  hold: (tx: WriteTransaction) => Promise<readonly ClaimedJob[]>,
): Promise<void> {
  const counts = await database.system(async (tx) => {
    await shareRates(tx);
    return priceJobs(tx, await hold(tx));
  });
  for (const [status, events] of Object.entries(counts)) if (events > 0) pricedEvents.inc({ status }, events);
}

/** Records in a second transaction how to continue with jobs of one organization that failed as a batch. */
async function recordFailure(database: Database, jobs: readonly ClaimedJob[], error: unknown): Promise<void> {
  const reason = error instanceof Error ? error.message : String(error);
  await database.system(async (tx) => recordPricingFailure(tx, await lockAgain(tx, jobs), reason, now()));
}

async function lockAgain(tx: WriteTransaction, jobs: readonly ClaimedJob[]): Promise<ClaimedJob[]> {
  const [first] = jobs;
  if (!first) return [];
  return lockPricingJobs(
    tx,
    first.organizationId,
    jobs.map(({ id }) => id),
  );
}

/** Returns the number of events by resulting state. */
async function priceJobs(tx: WriteTransaction, jobs: readonly ClaimedJob[]): Promise<Readonly<Record<string, number>>> {
  if (jobs.length === 0) return {};
  const at = now();
  const jobsOf = Map.groupBy(jobs, ({ organizationId }) => organizationId);
  const events = await readPriceableEventsOf(
    tx,
    [...jobsOf].map(([organizationId, ofOne]) => ({
      organizationId,
      items: ofOne.flatMap(({ eventIds }) => eventIds),
    })),
  );
  const rates = await resolveRateCardsOf(tx, events);
  const closedUntil = await findClosedMonths(tx, [...jobsOf.keys()]);
  const outcomes = new Map<string, PricedBatchOutcome>();
  for (const [organizationId, ofOne] of events)
    outcomes.set(
      organizationId,
      bookLate(await priceInSlices(ofOne, rates.get(organizationId) ?? []), closedUntil.get(organizationId) ?? null),
    );
  const of = <Item>(pick: (outcome: PricedBatchOutcome) => readonly Item[]) =>
    [...outcomes].map(([organizationId, outcome]) => ({ organizationId, items: pick(outcome) }));
  await insertCostEntriesOf(
    tx,
    at,
    of(({ entries }) => entries),
  );
  await insertUnpricedEventsOf(
    tx,
    at,
    of(({ unpriced }) => unpriced),
  );
  await deletePricingJobsOf(tx, jobs);
  await publishBatches(
    tx,
    [...outcomes].map(([organizationId, { facts, endUsers }]) => ({ organizationId, facts, endUsers })),
  );
  const failed = await recordFailures(tx, jobsOf, outcomes, at);
  await settleHolds(
    tx,
    [...outcomes].map(([organizationId, { entries }]) => ({
      organizationId,
      entries: () => withEvents(entries, events.get(organizationId) ?? []),
    })),
  );
  await addToCostHoursOf(
    tx,
    [...outcomes].map(([organizationId, { hours }]) => ({
      organizationId,
      items: [...hours, ...(failed.get(organizationId) ?? [])],
    })),
  );
  const count = (groups: Iterable<readonly unknown[]>) => [...groups].reduce((total, { length }) => total + length, 0);
  return {
    completed: count([...outcomes.values()].map(({ entries }) => entries)),
    pending_rate_card: count([...outcomes.values()].map(({ unpriced }) => unpriced)),
    failed: count(failed.values()),
  };
}

function withEvents(entries: readonly NewCostEntry[], events: readonly PriceableEvent[]): SpentEntry[] {
  const eventOf = new Map(events.map((event) => [event.id, event]));
  return entries.map((entry) => ({ entry, event: eventOf.get(entry.eventId)! }));
}

/** Events for which a rule failed continue one by one. Returns the changes of the hour counters, by organization. */
async function recordFailures(
  tx: WriteTransaction,
  jobsOf: ReadonlyMap<string, readonly ClaimedJob[]>,
  outcomes: ReadonlyMap<string, PricedBatchOutcome>,
  at: Date,
): Promise<ReadonlyMap<string, readonly HourChange[]>> {
  const failed = new Map<string, readonly HourChange[]>();
  for (const [organizationId, { errors }] of outcomes) {
    if (errors.length === 0) continue;
    const failures = errors.map(({ event, reason }) => failureOf(jobsOf.get(organizationId) ?? [], event.id, reason));
    failed.set(organizationId, await recordEventFailures(tx, organizationId, failures, at));
  }
  return failed;
}

function failureOf(jobs: readonly ClaimedJob[], eventId: string, reason: string) {
  const job = jobs.find(({ eventIds }) => eventIds.includes(eventId));
  const attempt = job && job.eventIds.length === 1 ? job.attempt + 1 : 1;
  return { eventId, attempt, reason, createdAt: job?.createdAt ?? now() };
}
