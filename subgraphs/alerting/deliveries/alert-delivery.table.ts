/**
 * The outbox: messages to be sent to channels. Rows are written with the episode that they report, and sent by a job.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const AlertDeliveryTable = defineEntity({
  name: 'AlertDelivery',
  tableName: 'alert_delivery',
  ...tenantTable('alerting'),
  properties: {
    organizationId: p.uuid().primary(),
    /** The receiver's `webhook-id`, the same in every attempt. */
    id: p.uuid().primary(),
    channelId: p.uuid(),
    /** Null for a test or a confirmation mail. */
    episodeId: p.uuid().nullable(),
    /** For example `alert.opened`. */
    eventType: p.text(),
    /** The signed text, byte for byte. */
    body: p.text(),
    createdAt: p.datetime(3),
    /** When the next attempt is made; null if no more are planned. */
    dueAt: p.datetime(3).nullable(),
    /** Number of attempts made. */
    attempt: p.integer(),
    leaseOwner: p.uuid().nullable(),
    leaseUntil: p.datetime(3).nullable(),
    doneAt: p.datetime(3).nullable(),
    gaveUpAt: p.datetime(3).nullable(),
    lastError: p.text().nullable(),
  },
  indexes: [
    {
      name: 'alert_delivery_due_index',
      expression: 'create index alert_delivery_due_index on alert_delivery (due_at) where due_at is not null',
    },
    {
      name: 'alert_delivery_lease_index',
      expression:
        'create index alert_delivery_lease_index on alert_delivery (organization_id, channel_id) where lease_until is not null',
    },
    { name: 'alert_delivery_channel_index', properties: ['organizationId', 'channelId', 'id'] },
    { name: 'alert_delivery_episode_index', properties: ['organizationId', 'episodeId', 'id'] },
    { name: 'alert_delivery_created_index', properties: ['organizationId', 'createdAt', 'id'] },
  ],
});

type Row = InferEntity<typeof AlertDeliveryTable>;

/** A delivery as stored in the database. */
export type AlertDeliveryRow = { readonly [Key in keyof Row & string]-?: Exclude<Row[Key], undefined> };

/** PostgreSQL channel that announces deliveries. */
export const DELIVERY_CHANNEL = 'alert_delivery';

type NewDelivery = Pick<
  AlertDeliveryRow,
  'organizationId' | 'id' | 'channelId' | 'episodeId' | 'eventType' | 'body' | 'createdAt' | 'lastError'
>;

const ADD_DELIVERY = statement(
  (
    input: Parameters<NewDelivery>,
  ) => sql<object>`insert into alert_delivery (organization_id, id, channel_id, episode_id, event_type, body, created_at, due_at,
       attempt, gave_up_at, last_error)
     values (${input.organizationId}, ${input.id}, ${input.channelId}, ${input.episodeId}, ${input.eventType}, ${input.body},
       ${input.createdAt}, case when ${input.lastError}::text is null then now() end,
       0, case when ${input.lastError}::text is not null then now() end, ${input.lastError})
     on conflict (organization_id, id) do nothing`,
);

/** Due immediately. With a `lastError` it is abandoned from the start. An existing delivery is left unchanged. */
export async function addDelivery(tx: WriteTransaction, delivery: NewDelivery): Promise<void> {
  await tx.run(ADD_DELIVERY, delivery);
}

/** Null if the organization has none with this id. */
export async function findDelivery(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<AlertDeliveryRow | null> {
  const [delivery] = await tx.em.find(AlertDeliveryTable, { organizationId, id }, { disableIdentityMap: true });
  return (delivery as AlertDeliveryRow | undefined) ?? null;
}

export interface DeliveryFilter {
  readonly channelId: string | null;
  readonly episodeId: string | null;
}

/** A page of deliveries, newest first. */
export async function listDeliveries(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { channelId, episodeId }: DeliveryFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ deliveries: AlertDeliveryRow[]; count: number }> {
  const where = {
    organizationId,
    ...(channelId === null ? {} : { channelId }),
    ...(episodeId === null ? {} : { episodeId }),
  };
  const orderBy = { createdAt: 'desc', id: 'desc' } as const;
  const [rows, count] = await tx.em.findAndCount(AlertDeliveryTable, where, {
    limit,
    offset,
    orderBy,
    disableIdentityMap: true,
  });
  return { deliveries: rows as AlertDeliveryRow[], count };
}

const COUNT_SINCE = statement(
  (input: Parameters<{ organizationId: OrganizationId; eventType: string; since: Date }>) =>
    sql<{
      count: number;
    }>`select count(*)::int as count from alert_delivery where organization_id = ${input.organizationId}
      and created_at >= ${input.since} and event_type = ${input.eventType}`,
);

/** Number of deliveries of a type created since then. */
export async function countDeliveriesSince(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  eventType: string,
  since: Date,
): Promise<number> {
  return (await tx.one(COUNT_SINCE, { organizationId, eventType, since })).count;
}

const FORGET_DELIVERIES = statement(
  (input: Parameters<{ before: Date; limit: number }>) => sql<object>`with gone as (
       delete from alert_delivery where (organization_id, id) in (
         select organization_id, id from alert_delivery where created_at < ${input.before} and due_at is null limit ${input.limit})
       returning organization_id, id),
     attempts as (
       delete from alert_attempt using gone where alert_attempt.organization_id = gone.organization_id and delivery_id = gone.id)
     select 1 as gone from gone`,
);

/**
 * Deletes up to `limit` completed deliveries created before then, with their attempts, in all organizations. Returns
 * the number deleted.
 */
export async function forgetDeliveries(tx: WriteTransaction, before: Date, limit: number): Promise<number> {
  return (await tx.all(FORGET_DELIVERIES, { before, limit })).length;
}
