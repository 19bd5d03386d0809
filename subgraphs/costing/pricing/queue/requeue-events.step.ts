/** Puts events without a cost back into the queue, in bounded transactions; each event is in exactly one state all the time. */
import type { Database, EntityManager } from '../../../../platform/database/open-database.ts';
import { GLOBAL_TENANT, REQUEUE_EVENTS, REQUEUE_JOB_BYTES, REQUEUE_JOB_EVENTS } from '../../config.ts';
import { quantityOf } from './price-batch.ts';
import { slicesWithin } from '../../../../kernel/slices-within.ts';
import { addToCostHours } from '../../ledger/cost-hour.table.ts';
import { readEventOutlines } from '../../ledger/event-outline.query.ts';
import { readMetadataBytes } from '../../events/usage-event.table.ts';
import { insertPricingJobs } from './pricing-job.table.ts';
import { matchesAnyCard, resolveRateCards } from '../../rates/resolve-rate-card.step.ts';
import {
  deleteUnpricedEvents,
  findOrganizationsWith,
  findWaitingModels,
  holdUnpricedEvents,
  type UnpricedPlace,
  type UnpricedStatus,
} from '../../ledger/unpriced-event.table.ts';

/**
 * Every waiting event that a card prices at the event's own time; where `among` is given, only of models that one of those cards
 * bears, whichever card then prices them. `organizationId` is `GLOBAL_TENANT` after a change of standard cards. Returns how many.
 */
export async function requeueWaitingEvents(
  database: Database,
  organizationId: string,
  among: ReadonlySet<string> | null,
): Promise<number> {
  let total = 0;
  for (const organization of await organizationsOf(database, organizationId, 'pending_rate_card')) {
    const models = await database.acrossOrganizations(async (em) => {
      const waiting = await findWaitingModels(em, organization);
      const matches = await matchesAnyCard(em, organization, waiting, among);
      return [...new Set(waiting.filter((_, index) => matches[index]).map(({ model }) => model))];
    });
    if (models.length === 0) continue;
    total += await requeuePages(database, organization, 'pending_rate_card', models, async (em, events) => {
      const rates = await resolveRateCards(em, organization, events);
      return events.filter((_, index) => rates[index]?.match);
    });
  }
  return total;
}

/** Every failed event of the organization, or of all; `note` is called in each transaction that puts some back. Returns how many. */
export async function requeueFailedEvents(
  database: Database,
  organizationId: string | null,
  record: RecordRequeued,
): Promise<number> {
  let total = 0;
  for (const organization of await organizationsOf(database, organizationId ?? GLOBAL_TENANT, 'failed')) {
    total += await requeuePages(database, organization, 'failed', null, async (em, events) => {
      if (events.length > 0) await record(em, organization, events.length);
      return events;
    });
  }
  return total;
}

type RecordRequeued = (em: EntityManager, organizationId: string, events: number) => Promise<void>;

type Choose = (em: EntityManager, events: readonly UnpricedPlace[]) => Promise<readonly UnpricedPlace[]>;

async function requeuePages(
  database: Database,
  organizationId: string,
  status: UnpricedStatus,
  models: readonly string[] | null,
  choose: Choose,
): Promise<number> {
  let total = 0;
  let after: string | undefined = GLOBAL_TENANT;
  while (after !== undefined) {
    const place: string = after;
    after = await database.acrossOrganizations(async (em) => {
      const page = await holdUnpricedEvents(em, organizationId, { status, models, after: place, max: REQUEUE_EVENTS });
      const chosen = (await choose(em, page)).map(({ eventId }) => eventId);
      total += chosen.length;
      if (chosen.length > 0) await requeue(em, organizationId, status, chosen);
      return page.length < REQUEUE_EVENTS ? undefined : page.at(-1)?.eventId;
    });
  }
  return total;
}

async function requeue(
  em: EntityManager,
  organizationId: string,
  status: UnpricedStatus,
  eventIds: readonly string[],
): Promise<void> {
  await deleteUnpricedEvents(em, organizationId, eventIds);
  const sizes = await readMetadataBytes(em, organizationId, eventIds);
  const jobs = slicesWithin(eventIds, (id) => sizes.get(id) ?? 0, {
    countMax: REQUEUE_JOB_EVENTS,
    bytesMax: REQUEUE_JOB_BYTES,
  });
  await insertPricingJobs(
    em,
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
  const live = (await readEventOutlines(em, organizationId, eventIds)).filter(({ livemode }) => livemode);
  await addToCostHours(
    em,
    organizationId,
    live.map((event) => ({
      atMs: event.eventTimeMs,
      ...(status === 'failed' ? { failed: -1 } : { pendingRateCard: -1 }),
      quantity: -quantityOf(event),
    })),
  );
}

function organizationsOf(database: Database, organizationId: string, status: UnpricedStatus): Promise<string[]> {
  if (organizationId !== GLOBAL_TENANT) return Promise.resolve([organizationId]);
  return database.acrossOrganizations((em) => findOrganizationsWith(em, status));
}
