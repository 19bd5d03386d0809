/**
 * Records, in a transaction of its own, that jobs could not be priced: splits them, schedules a retry, or gives up on
 * an event.
 */
import type { EventId, OrganizationId } from '#kernel/ids.ts';
import { PRICING_ATTEMPTS_MAX, PRICING_RETRY_MILLISECONDS } from '../config.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { quantityOf } from './price-batch.ts';
import { seenEndUsers } from '../feed/seen-end-users.ts';
import { addToCostHours, type HourChange } from '../ledger/cost-hour.table.ts';
import { readEventOutlines } from '../ledger/event-outline.query.ts';
import { publishBatches } from '../feed/priced-batch.table.ts';
import { type ClaimedJob, deletePricingJobs, insertPricingJobs } from './pricing-job.table.ts';
import { insertUnpricedEvents } from '../ledger/unpriced-event.table.ts';

/** `jobs` are of one organization and held by this transaction. */
export async function recordPricingFailure(
  tx: WriteTransaction,
  jobs: readonly ClaimedJob[],
  reason: string,
  at: Date,
): Promise<void> {
  const [first] = jobs;
  if (!first) return;
  const { organizationId } = first;
  await deletePricingJobs(
    tx,
    organizationId,
    jobs.map(({ id }) => id),
  );
  const eventIds = jobs.flatMap((job) => job.eventIds);
  const [eventId] = eventIds;
  if (eventIds.length === 1 && eventId) {
    const failure = { eventId, attempt: first.attempt + 1, reason, createdAt: first.createdAt };
    const hours = await recordEventFailures(tx, organizationId, [failure], at);
    const endUsers = seenEndUsers(await readEventOutlines(tx, organizationId, eventIds));
    await publishBatches(tx, [{ organizationId, facts: [], endUsers }]);
    return addToCostHours(tx, organizationId, hours);
  }
  const bytes = jobs.reduce((total, job) => total + job.bytes, 0);
  const half = Math.ceil(eventIds.length / 2);
  await insertPricingJobs(
    tx,
    organizationId,
    [eventIds.slice(0, half), eventIds.slice(half)].map((part) => ({
      eventIds: part,
      bytes: Math.round((bytes * part.length) / eventIds.length),
      attempt: 0,
      alone: true,
      pauseMilliseconds: 0,
      lastError: reason,
      createdAt: first.createdAt,
    })),
  );
}

export interface EventFailure {
  readonly eventId: EventId;
  /** Number of failed attempts, including this one. */
  readonly attempt: number;
  readonly reason: string;
  readonly createdAt: Date;
}

/**
 * Each event continues by itself: it is retried later, or is `failed` for good after the last attempt. Returns the
 * changes of the hour counters, which the caller applies last.
 */
export async function recordEventFailures(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  failures: readonly EventFailure[],
  at: Date,
): Promise<HourChange[]> {
  const verdicts = failures.map((failure) => ({ ...failure, pause: pauseMilliseconds(failure.attempt) }));
  await insertPricingJobs(
    tx,
    organizationId,
    verdicts.flatMap(({ eventId, attempt, reason, createdAt, pause }) =>
      pause === null
        ? []
        : [
            {
              eventIds: [eventId],
              bytes: 0,
              attempt,
              alone: true,
              pauseMilliseconds: pause,
              lastError: reason,
              createdAt,
            },
          ],
    ),
  );
  const reasons = new Map(
    verdicts.flatMap(({ eventId, reason, pause }) => (pause === null ? [[eventId, reason] as const] : [])),
  );
  if (reasons.size === 0) return [];
  const events = await readEventOutlines(tx, organizationId, [...reasons.keys()]);
  await insertUnpricedEvents(
    tx,
    organizationId,
    at,
    events.map((event) => ({ event, status: 'failed', reason: reasons.get(event.id) ?? '' })),
  );
  const live = events.filter(({ livemode }) => livemode);
  return live.map((event) => ({ atMs: event.eventTimeMs, failed: 1, quantity: quantityOf(event) }));
}

/** Pause after a number of failed attempts, doubling each time; null: the event is given up. */
function pauseMilliseconds(attempt: number): number | null {
  return attempt >= PRICING_ATTEMPTS_MAX ? null : PRICING_RETRY_MILLISECONDS * 2 ** (attempt - 1);
}
