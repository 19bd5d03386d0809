/**
 * Prices claimed jobs in one transaction, which also deletes them, so that each event is priced exactly once. Locks are
 * taken in the order of organizations.
 */
import type { EventId } from '#kernel/ids.ts';
import { now } from '#platform/clock.ts';
import { isContentError } from '#platform/content-error.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { Log } from '#platform/log.ts';
import { counter } from '#platform/metrics.ts';
import { bookLate } from '../ledger/book-late.ts';
import { findClosedMonths } from '../ledger/cost-closing.table.ts';
import { insertCostEntriesOf, type NewCostEntry } from '../ledger/cost-entry.table.ts';
import { addToCostHoursOf, type HourChange } from '../ledger/cost-hour.table.ts';
import { type SpentEntry, settleHolds } from '../holds/settle-holds.step.ts';
import { type PriceableEvent, readPriceableEventsOf } from '../pricing/priceable-event.query.ts';
import { publishBatches } from '../feed/priced-batch.table.ts';
import type { ClaimBounds } from './claim-pricing-jobs.step.ts';
import { type ClaimedJob, deletePricingJobsOf, lockPricingJobs } from './pricing-job.table.ts';
import { shareRates } from '../rates/rate-generation.table.ts';
import { recordEventFailures, recordPricingFailure } from './record-pricing-failure.step.ts';
import { resolveRateCardsOf } from '../rates/resolve-rate-card.step.ts';
import { insertUnpricedEventsOf } from '../ledger/unpriced-event.table.ts';
import type { PricedBatchOutcome } from './price-batch.ts';
import { priceInSlices } from './price-in-slices.ts';

const pricedEvents = counter(
  'books_usage_events_priced_total',
  'Usage events that were processed, by resulting state.',
  ['status'],
);

export interface PriceEventsOptions {
  readonly database: Database;
  readonly log: Log;
  readonly bounds?: ClaimBounds;
}

/** State shared by the pricing loops of a process. */
export interface PricingLoops {
  /** Number of loops that are pricing many events of one organization. */
  busy: number;
}

/**
 * Runs one transaction, in which `claim` claims the jobs. A failure rolls it back completely. If it had jobs of several
 * organizations, each is then tried in its own transaction, so that events of one organization cannot block another's.
 * Returns the claimed jobs.
 */
export async function priceClaimedJobs(
  database: Database,
  log: Log,
  claim: (tx: WriteTransaction) => Promise<readonly ClaimedJob[]>,
): Promise<readonly ClaimedJob[]> {
  let held: readonly ClaimedJob[] = [];
  try {
    await priceInTransaction(database, async (tx) => {
      held = await claim(tx);
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
  return held;
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

function failureOf(jobs: readonly ClaimedJob[], eventId: EventId, reason: string) {
  const job = jobs.find(({ eventIds }) => eventIds.includes(eventId));
  const attempt = job && job.eventIds.length === 1 ? job.attempt + 1 : 1;
  return { eventId, attempt, reason, createdAt: job?.createdAt ?? now() };
}
