/** Events that have had their turn and have no cost: they wait for a rate card, or were given up. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query, type Transaction } from '../../../platform/database/sql.ts';
import { tenantTable } from '../../../platform/database/tenant-table.ts';
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

export type UnpricedEvent = InferEntity<typeof UnpricedEventTable>;

export interface NewUnpricedEvent {
  readonly event: Pick<EventOutline, 'id' | 'livemode' | 'eventTime' | 'model' | 'provider'>;
  readonly status: 'pending_rate_card' | 'failed';
  readonly reason: string;
}

export async function insertUnpricedEvents(
  em: EntityManager,
  organizationId: string,
  since: Date,
  rows: readonly NewUnpricedEvent[],
): Promise<void> {
  if (rows.length === 0) return;
  await query(
    em,
    `
    insert into unpriced_event (organization_id, since, event_id, status, livemode, event_time, model, provider, reason)
    select $1, $2, * from unnest($3::uuid[], $4::text[], $5::boolean[], $6::timestamptz[], $7::text[], $8::text[], $9::text[])`,
    [
      organizationId,
      since,
      rows.map(({ event }) => event.id),
      rows.map(({ status }) => status),
      rows.map(({ event }) => event.livemode),
      rows.map(({ event }) => event.eventTime),
      rows.map(({ event }) => event.model),
      rows.map(({ event }) => event.provider),
      rows.map(({ reason }) => reason),
    ],
  );
}

export interface WaitingModel {
  readonly model: string;
  readonly provider: string | null;
}

/** The models, as sent, of an organization's events that wait for a rate card. */
export function findWaitingModels(em: EntityManager, organizationId: string): Promise<WaitingModel[]> {
  return query<WaitingModel>(
    em,
    `
    select distinct model, provider from unpriced_event where organization_id = $1 and status = 'pending_rate_card'`,
    [organizationId],
  );
}

/** Lies behind every event. */
export const AFTER_ALL = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The next organization that has events in a state and whose place is not behind them all; null when there is none. */
export async function findOrganizationWith(
  em: EntityManager,
  status: UnpricedStatus,
  place: { readonly organizationId: string; readonly after: string },
): Promise<string | null> {
  const [row] = await query<{ organizationId: string }>(
    em,
    `
    select organization_id from unpriced_event where status = $1 and (organization_id, event_id) > ($2, $3)
    order by organization_id, event_id limit 1`,
    [status, place.organizationId, place.after],
  );
  return row?.organizationId ?? null;
}

export type UnpricedStatus = 'pending_rate_card' | 'failed';

export interface UnpricedPlace extends WaitingModel {
  readonly eventId: string;
  readonly eventTimeMs: number;
}

/**
 * A page of events in a state, in order of id, held by this transaction; of certain models where given. Waits for pages that another
 * transaction holds: what that one leaves behind would else be passed over for ever.
 */
export function holdUnpricedEvents(
  em: EntityManager,
  organizationId: string,
  page: {
    readonly status: UnpricedStatus;
    readonly models: readonly string[] | null;
    readonly after: string;
    readonly max: number;
  },
): Promise<UnpricedPlace[]> {
  return query<UnpricedPlace>(
    em,
    `
    select event_id, model, provider, (extract(epoch from event_time) * 1000)::float8 as event_time_ms
    from unpriced_event
    where organization_id = $1 and status = $2 and ($3::text[] is null or model = any($3)) and event_id > $4
    order by event_id limit $5 for update`,
    [organizationId, page.status, page.models, page.after, page.max],
  );
}

/** The first that wait for a card, of certain models; nothing is held. */
export function listWaitingEvents(
  em: EntityManager,
  organizationId: string,
  models: readonly string[],
  max: number,
): Promise<UnpricedPlace[]> {
  return query<UnpricedPlace>(
    em,
    `
    select event_id, model, provider, (extract(epoch from event_time) * 1000)::float8 as event_time_ms from unpriced_event
    where organization_id = $1 and status = 'pending_rate_card' and model = any($2) order by event_id limit $3`,
    [organizationId, models, max],
  );
}

export async function deleteUnpricedEvents(
  em: EntityManager,
  organizationId: string,
  eventIds: readonly string[],
): Promise<void> {
  await query(em, 'delete from unpriced_event where organization_id = $1 and event_id = any($2::uuid[])', [
    organizationId,
    eventIds,
  ]);
}

/** Why an event has no cost; null where it has one, or its turn has not come. */
export async function findUnpricedEvent(
  tx: Transaction,
  organizationId: string,
  eventId: string,
): Promise<{ status: UnpricedStatus; reason: string } | null> {
  const [row] = await query<{ status: UnpricedStatus; reason: string }>(
    tx,
    'select status, reason from unpriced_event where organization_id = $1 and event_id = $2',
    [organizationId, eventId],
  );
  return row ?? null;
}
