/** Objects of the processor that are in no figure because they do not fit, each with the reason (decision 27). */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { tenantTable } from '../../../platform/database/tenant-table.ts';
import { isoMillis } from '../../../platform/database/iso-sql.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query, queryOne, type Transaction } from '../../../platform/database/sql.ts';

export const SetAsideObjectTable = defineEntity({
  name: 'SetAsideObject',
  tableName: 'set_aside_object',
  ...tenantTable('revenue'),
  properties: {
    organizationId: p.uuid().primary(),
    kind: p
      .enum(['event', 'customer', 'subscription', 'invoice', 'credit_note', 'refund', 'dispute'])
      .$type<SetAsideKind>()
      .primary(),
    /** The processor's id; of an object without one, what stands for it. */
    objectId: p.text().primary(),
    /** `unreadable` objects are judged when they are read, those in `other_currency` when they meet their invoice. */
    cause: p.enum(['unreadable', 'other_currency']).$type<SetAsideCause>().primary(),
    /** In plain words; no content of the object but its id and the name of the field. */
    reason: p.text(),
    firstSeenAt: p.datetime(3),
    lastSeenAt: p.datetime(3),
  },
});

export type SetAsideObject = InferEntity<typeof SetAsideObjectTable>;

export type SetAsideKind = 'event' | 'customer' | 'subscription' | 'invoice' | 'credit_note' | 'refund' | 'dispute';

export type SetAsideCause = 'unreadable' | 'other_currency';

export interface ObjectToSetAside {
  readonly id: string;
  readonly reason: string;
}

/** Remembers objects that do not fit; of one that is known already the reason and the last time. */
export async function setAside(
  em: EntityManager,
  organizationId: string,
  { kind, cause }: { kind: SetAsideKind; cause: SetAsideCause },
  objects: readonly ObjectToSetAside[],
  now: Date,
): Promise<void> {
  if (objects.length === 0) return;
  const unique = [...new Map(objects.map((object) => [object.id, object])).values()].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
  await query(
    em,
    `insert into set_aside_object (organization_id, kind, object_id, cause, reason, first_seen_at, last_seen_at)
     select $1, $2, given.id, $3, given.reason, $6, $6 from unnest($4::text[], $5::text[]) as given (id, reason)
     on conflict (organization_id, kind, object_id, cause) do update
       set reason = excluded.reason, last_seen_at = excluded.last_seen_at`,
    [organizationId, kind, cause, unique.map(({ id }) => id), unique.map(({ reason }) => reason), now],
  );
}

/** These fit now. */
export async function clearSetAside(
  em: EntityManager,
  organizationId: string,
  { kind, cause }: { kind: SetAsideKind; cause: SetAsideCause },
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await query(
    em,
    'delete from set_aside_object where organization_id = $1 and kind = $2 and cause = $3 and object_id = any($4)',
    [organizationId, kind, cause, ids],
  );
}

/** What a run that read every list whole has not met is no longer there. */
export async function clearUnseen(em: EntityManager, organizationId: string, since: string): Promise<void> {
  await query(
    em,
    "delete from set_aside_object where organization_id = $1 and cause = 'unreadable' and last_seen_at < $2::timestamptz",
    [organizationId, since],
  );
}

/** Nothing is recorded any more that these could belong to. */
export async function clearAllSetAside(em: EntityManager, organizationId: string): Promise<void> {
  await query(em, 'delete from set_aside_object where organization_id = $1', [organizationId]);
}

export interface SetAsideRow {
  kind: SetAsideKind;
  objectId: string;
  cause: SetAsideCause;
  reason: string;
  /** ISO 8601 UTC. */
  firstSeenAt: string;
  lastSeenAt: string;
}

/** A page by the time of the first meeting, newest first. */
export function setAsidePage(
  tx: Transaction,
  organizationId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<SetAsideRow[]> {
  return query<SetAsideRow>(
    tx,
    `select kind, object_id, cause, reason, ${isoMillis('first_seen_at')} as first_seen_at, ${isoMillis('last_seen_at')} as last_seen_at
     from set_aside_object where organization_id = $1
     order by set_aside_object.first_seen_at desc, kind, object_id, cause limit $2 offset $3`,
    [organizationId, limit, offset],
  );
}

export async function countSetAside(tx: Transaction, organizationId: string): Promise<number> {
  const { count } = await queryOne<{ count: number }>(
    tx,
    'select count(*)::int as count from set_aside_object where organization_id = $1',
    [organizationId],
  );
  return count;
}

/** How many of each kind, by kind. */
export function setAsideByKind(
  tx: Transaction,
  organizationId: string,
): Promise<{ kind: SetAsideKind; count: number }[]> {
  return query(
    tx,
    'select kind, count(*)::int as count from set_aside_object where organization_id = $1 group by kind order by kind',
    [organizationId],
  );
}
