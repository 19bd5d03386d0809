/** Processed events without a cost: they wait for a rate card, or were given up. */
import type { EventId, OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { byOrganization, type Look } from '#platform/database/nodes/look-across.ts';
import {
  formOf,
  inEachForm,
  type OfOrganization,
  organizationParameter,
  organizationRows,
  withItems,
} from '#platform/database/nodes/organization-rows.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tables } from '#platform/database/tables.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { EventOutline } from './event-outline.query.ts';

export const UnpricedEventTable = defineEntity({
  name: 'UnpricedEvent',
  tableName: 'unpriced_event',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    eventId: p.uuid().primary(),
    status: p.enum(['pending_rate_card', 'failed']),
    livemode: p.boolean(),
    eventTime: p.datetime(6),
    model: p.text(),
    provider: p.text().nullable(),
    reason: p.text(),
    since: p.datetime(3),
  },
  indexes: [
    { name: 'unpriced_event_model_index', properties: ['organizationId', 'status', 'model'] },
    { name: 'unpriced_event_time_index', properties: ['organizationId', 'eventTime'] },
  ],
});

const db = tables<typeof UnpricedEventTable>();

export interface NewUnpricedEvent {
  readonly event: Pick<EventOutline, 'id' | 'livemode' | 'eventTime' | 'model' | 'provider'>;
  readonly status: 'pending_rate_card' | 'failed';
  readonly reason: string;
}

interface InsertInput {
  readonly organization: string | readonly string[];
  readonly since: Date;
  readonly ids: readonly string[];
  readonly statuses: readonly string[];
  readonly livemodes: readonly boolean[];
  readonly eventTimes: readonly unknown[];
  readonly models: readonly string[];
  readonly providers: readonly (string | null)[];
  readonly reasons: readonly string[];
}

const ITEMS = `:ids::uuid[], :statuses::text[], :livemodes::boolean[], :eventTimes::timestamptz[], :models::text[],
  :providers::text[], :reasons::text[]`;
const INSERT = inEachForm((form) =>
  statement<object, InsertInput>(
    `insert into unpriced_event (since, organization_id, event_id, status, livemode, event_time, model, provider, reason)
     select :since, ${organizationRows(form, ITEMS)}`,
  ),
);

export function insertUnpricedEvents(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  since: Date,
  events: readonly NewUnpricedEvent[],
): Promise<void> {
  return insertUnpricedEventsOf(tx, since, [{ organizationId, items: events }]);
}

/** Inserts events of several organizations in one statement. */
export async function insertUnpricedEventsOf(
  tx: WriteTransaction,
  since: Date,
  events: readonly OfOrganization<NewUnpricedEvent>[],
): Promise<void> {
  const groups = withItems(events);
  if (groups.length === 0) return;
  const rows = groups.flatMap(({ items }) => items);
  await tx.run(INSERT[formOf(tx, groups)], {
    organization: organizationParameter(groups),
    since,
    ids: rows.map(({ event }) => event.id),
    statuses: rows.map(({ status }) => status),
    livemodes: rows.map(({ event }) => event.livemode),
    eventTimes: rows.map(({ event }) => event.eventTime),
    models: rows.map(({ event }) => event.model),
    providers: rows.map(({ event }) => event.provider),
    reasons: rows.map(({ reason }) => reason),
  });
}

const COUNT_UNPRICED = statement(
  () => sql<{ status: UnpricedStatus; events: number }>`select status, count(*)::float8 as events
    from unpriced_event /* every organization */ group by status`,
);

/** Counts events of all organizations. */
export function countUnpricedEvents(tx: WriteTransaction): Promise<{ status: UnpricedStatus; events: number }[]> {
  return tx.all(COUNT_UNPRICED, {});
}

export interface WaitingModel {
  readonly model: string;
  readonly provider: string | null;
}

const FIND_WAITING_MODELS = statement(({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
  db
    .selectFrom('unpricedEvent')
    .select(['model', 'provider'])
    .distinct()
    .where('organizationId', '=', organizationId)
    .where('status', '=', 'pending_rate_card'),
);

/** The models, as sent, of an organization's events that wait for a rate card. */
export function findWaitingModels(tx: WriteTransaction, organizationId: OrganizationId): Promise<WaitingModel[]> {
  return tx.all(FIND_WAITING_MODELS, { organizationId });
}

/** Sorts after every event. */
export const AFTER_ALL = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Finds the next organization that has events in a state after the given position. */
export function organizationWith(
  status: UnpricedStatus,
  place: { readonly organizationId: OrganizationId; readonly after: string },
): Look<{ readonly organizationId: OrganizationId }> {
  return {
    tables: ['unpriced_event'],
    text: (table) => `
      select organization_id from ${table} where status = $1 and (organization_id, event_id) > ($2::uuid, $3::uuid)
      order by organization_id, event_id limit 1`,
    parameters: [status, place.organizationId, place.after],
    compare: byOrganization,
  };
}

export type UnpricedStatus = 'pending_rate_card' | 'failed';

export interface UnpricedEventKey extends WaitingModel {
  readonly eventId: EventId;
  readonly eventTimeMs: number;
}

const HOLD_UNPRICED_EVENTS = statement(
  (
    input: Parameters<{
      organizationId: OrganizationId;
      status: UnpricedStatus;
      models: readonly string[] | null;
      after: string;
      max: number;
    }>,
  ) => sql<UnpricedEventKey>`
    select event_id, model, provider, (extract(epoch from event_time) * 1000)::float8 as event_time_ms
    from unpriced_event
    where organization_id = ${input.organizationId} and status = ${input.status} and (${input.models}::text[] is null or model = any(${input.models})) and event_id > ${input.after}
    order by event_id limit ${input.max} for update`,
);

/**
 * Locks a page of events in a state, ordered by id, optionally of certain models. Waits for rows that another
 * transaction holds, because events which that transaction leaves in this state would otherwise never be checked.
 */
export function lockUnpricedEvents(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  page: {
    readonly status: UnpricedStatus;
    readonly models: readonly string[] | null;
    readonly after: string;
    readonly max: number;
  },
): Promise<UnpricedEventKey[]> {
  return tx.all(HOLD_UNPRICED_EVENTS, {
    organizationId,
    status: page.status,
    models: page.models,
    after: page.after,
    max: page.max,
  });
}

const LIST_WAITING_EVENTS = statement(
  ({
    organizationId,
    models,
    after,
    max,
  }: Parameters<{
    organizationId: OrganizationId;
    models: readonly string[];
    after: string;
    max: number;
  }>) => sql<UnpricedEventKey>`
    select event_id, model, provider, (extract(epoch from event_time) * 1000)::float8 as event_time_ms from unpriced_event
    where organization_id = ${organizationId} and status = 'pending_rate_card' and model = any(${models}) and event_id > ${after}
    order by event_id limit ${max}`,
);

/** A page of events that wait for a rate card, of certain models, ordered by id, without locks. */
export function listWaitingEvents(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  page: { readonly models: readonly string[]; readonly after: string; readonly max: number },
): Promise<UnpricedEventKey[]> {
  return tx.all(LIST_WAITING_EVENTS, { organizationId, ...page });
}

const DELETE_UNPRICED_EVENTS = statement(
  ({ organizationId, eventIds }: Parameters<{ organizationId: OrganizationId; eventIds: readonly EventId[] }>) =>
    sql<object>`delete from unpriced_event where organization_id = ${organizationId} and event_id = any(${eventIds}::uuid[])`,
);

export async function deleteUnpricedEvents(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  eventIds: readonly EventId[],
): Promise<void> {
  await tx.run(DELETE_UNPRICED_EVENTS, { organizationId, eventIds });
}

const FIND_UNPRICED_EVENT = statement(
  ({ organizationId, eventId }: Parameters<{ organizationId: OrganizationId; eventId: EventId }>) =>
    db
      .selectFrom('unpricedEvent')
      .select(['status', 'reason'])
      .where('organizationId', '=', organizationId)
      .where('eventId', '=', eventId),
);

/** The reason why an event has no cost; null if it has a cost, or was not processed yet. */
export async function findUnpricedEvent(
  tx: Transaction,
  organizationId: OrganizationId,
  eventId: EventId,
): Promise<{ status: UnpricedStatus; reason: string } | null> {
  return tx.first(FIND_UNPRICED_EVENT, { organizationId, eventId });
}
