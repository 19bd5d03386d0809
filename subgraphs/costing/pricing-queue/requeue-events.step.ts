/**
 * Puts events without a cost back into the queue, a page at a time. Each event is in exactly one state at all times.
 */
import type { EventId, OrganizationId } from '#kernel/ids.ts';
import { now } from '#platform/clock.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { insertOperation, type Operation } from '#platform/operations/operation-table.ts';
import { nextOfAll } from '#platform/operations/next-of-all.ts';
import type { Commit, OperationKind } from '#platform/operations/run-operation.ts';
import type { Actor } from '#platform/subgraph/audit-record.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { GLOBAL_TENANT, REQUEUE_EVENTS, REQUEUE_JOB_BYTES, REQUEUE_JOB_EVENTS } from '../config.ts';
import { quantityOf } from './price-batch.ts';
import { slicesWithin } from '#kernel/slices-within.ts';
import { addToCostHours } from '../ledger/cost-hour.table.ts';
import { readEventOutlines } from '../ledger/event-outline.query.ts';
import { readMetadataBytes } from '../events/usage-event.table.ts';
import { insertPricingJobs } from './pricing-job.table.ts';
import { matchesAnyCard, resolveRateCards } from '../rates/resolve-rate-card.step.ts';
import {
  deleteUnpricedEvents,
  AFTER_ALL,
  findWaitingModels,
  lockUnpricedEvents,
  organizationWith,
  type UnpricedEventKey,
  type UnpricedStatus,
} from '../ledger/unpriced-event.table.ts';

export const REQUEUE_WAITING = 'requeue-waiting';
const REQUEUE_FAILED = 'requeue-failed';

interface RequeueProgress {
  readonly organizationId: OrganizationId;
  /** Events of the organization up to this one have been checked. */
  readonly after: string;
  /** Number of events requeued, over all organizations. */
  readonly requeued: number;
  /** True for a pass over all organizations if a node was unreachable: another pass is needed. */
  readonly isAgain?: true | undefined;
}

/** Requeues every waiting event that a card can price at the event's own time. */
export const requeueWaitingKind: OperationKind = {
  kind: REQUEUE_WAITING,
  step: (operation, commit, database) =>
    requeuePage(database, operation, commit, 'pending_rate_card', (tx) => ({
      models: (organizationId) => findPriceableModels(tx, organizationId),
      choose: async (organizationId, events) => {
        const rates = await resolveRateCards(tx, organizationId, events);
        return events.filter((_, index) => rates[index]?.match);
      },
    })),
};

interface FailedParameters {
  /** The actor recorded in each organization's log. */
  readonly actor: Required<Actor>;
}

/** Called in the transaction that changes rates: waiting events are checked even if the process then stops. */
export function beginRequeue(tx: WriteTransaction, organizationId: OrganizationId): Promise<Operation> {
  const [id = ''] = uuidsV7(1);
  return insertOperation(tx, { organizationId, id, kind: REQUEUE_WAITING, parameters: {} });
}

/** Starts the operation that requeues failed events. */
export function beginRetry(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  parameters: FailedParameters,
): Promise<Operation> {
  const [id = ''] = uuidsV7(1);
  return insertOperation(tx, { organizationId, id, kind: REQUEUE_FAILED, parameters });
}

/** Requeues every event that was given up. */
export const requeueFailedKind: OperationKind = {
  kind: REQUEUE_FAILED,
  step: (operation, commit, database) =>
    requeuePage(database, operation, commit, 'failed', (tx) => ({
      models: () => Promise.resolve(null),
      choose: async (organizationId, events) => {
        const { actor } = operation.parameters as FailedParameters;
        if (events.length > 0)
          await recordAudit(tx, {
            organizationId,
            at: now(),
            action: 'failed_events.retried',
            ...actor,
            detail: `${events.length} events`,
          });
        return events;
      },
    })),
};

/** The number of events that an operation has requeued. */
export function requeuedEventsOf({ place }: Operation): number {
  return (place as RequeueProgress | null)?.requeued ?? 0;
}

interface Choice {
  /** Null: all models. */
  models(organizationId: OrganizationId): Promise<readonly string[] | null>;
  choose(organizationId: OrganizationId, events: readonly UnpricedEventKey[]): Promise<readonly UnpricedEventKey[]>;
}

/**
 * Requeues a page of events: of the operation's organization, or, if it has none, of the next organization that still
 * has events.
 */
async function requeuePage(
  database: Database,
  operation: Operation,
  commit: Commit,
  status: UnpricedStatus,
  choiceIn: (tx: WriteTransaction) => Choice,
): Promise<void> {
  const isOfAll = operation.organizationId === GLOBAL_TENANT;
  const start: RequeueProgress = { organizationId: operation.organizationId, after: GLOBAL_TENANT, requeued: 0 };
  const place = (operation.place as RequeueProgress | null) ?? start;
  const next = isOfAll ? await nextOfAll(database, organizationWith(status, place), place.isAgain) : place;
  if (next === 'none' || next === 'again')
    return commit(async (_, { done }) => ({
      place: { ...start, requeued: place.requeued } satisfies RequeueProgress,
      done,
      isFinished: next === 'none',
    }));
  const { organizationId, isAgain } = next;
  return commit(async (tx, { done }) => {
    const { models: modelsOf, choose } = choiceIn(tx);
    const after = organizationId === place.organizationId ? place.after : GLOBAL_TENANT;
    const models = await modelsOf(organizationId);
    const page =
      models?.length === 0
        ? []
        : await lockUnpricedEvents(tx, organizationId, { status, models, after, max: REQUEUE_EVENTS });
    const chosen = (await choose(organizationId, page)).map(({ eventId }) => eventId);
    if (chosen.length > 0) await requeueEvents(tx, organizationId, status, chosen);
    const isThrough = page.length < REQUEUE_EVENTS;
    return {
      place: {
        organizationId,
        after: isThrough ? AFTER_ALL : page.at(-1)!.eventId,
        requeued: place.requeued + chosen.length,
        isAgain,
      } satisfies RequeueProgress,
      done: done + page.length,
      isFinished: isThrough && !isOfAll,
    };
  });
}

async function findPriceableModels(tx: WriteTransaction, organizationId: OrganizationId): Promise<string[]> {
  const waiting = await findWaitingModels(tx, organizationId);
  const matches = await matchesAnyCard(tx, organizationId, waiting);
  return [...new Set(waiting.filter((_, index) => matches[index]).map(({ model }) => model))];
}

/** Moves events from the waiting list to the queue. */
export async function requeueEvents(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  status: UnpricedStatus,
  eventIds: readonly EventId[],
): Promise<void> {
  await deleteUnpricedEvents(tx, organizationId, eventIds);
  const sizes = await readMetadataBytes(tx, organizationId, eventIds);
  const jobs = slicesWithin(eventIds, (id) => sizes.get(id) ?? 0, {
    countMax: REQUEUE_JOB_EVENTS,
    bytesMax: REQUEUE_JOB_BYTES,
  });
  await insertPricingJobs(
    tx,
    organizationId,
    jobs.map((slice) => ({
      eventIds: slice.items,
      bytes: slice.bytes,
      attempt: 0,
      alone: false,
      pauseMilliseconds: 0,
      lastError: null,
      createdAt: null,
    })),
  );
  const live = (await readEventOutlines(tx, organizationId, eventIds)).filter(({ livemode }) => livemode);
  await addToCostHours(
    tx,
    organizationId,
    live.map((event) => ({
      atMs: event.eventTimeMs,
      ...(status === 'failed' ? { failed: -1 } : { pendingRateCard: -1 }),
      quantity: -quantityOf(event),
    })),
  );
}
