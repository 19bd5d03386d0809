/** Objects of the processor that could not be read or booked, with the reason (decision 27). */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { tenantTable } from '#platform/database/tenant-table.ts';
import { isoMillis } from '#platform/database/iso-sql.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tables } from '#platform/database/tables.ts';

export const SetAsideObjectTable = defineEntity({
  name: 'SetAsideObject',
  tableName: 'set_aside_object',
  ...tenantTable('revenue'),
  properties: {
    organizationId: p.uuid().primary(),
    kind: p
      .enum(['event', 'customer', 'subscription', 'invoice', 'charge', 'credit_note', 'refund', 'dispute'])
      .$type<SetAsideKind>()
      .primary(),
    /** The processor's id, or a placeholder if the object has none. */
    objectId: p.text().primary(),
    /** `unreadable` is determined when the object is read, `other_currency` when it is matched with its invoice. */
    cause: p.enum(['unreadable', 'other_currency']).$type<SetAsideCause>().primary(),
    /** Plain-language reason. Contains nothing of the object except its id and the field's name. */
    reason: p.text(),
    firstSeenAt: p.datetime(3),
    lastSeenAt: p.datetime(3),
  },
});

const db = tables<typeof SetAsideObjectTable>();

export type SetAsideKind =
  | 'event'
  | 'customer'
  | 'subscription'
  | 'invoice'
  | 'charge'
  | 'credit_note'
  | 'refund'
  | 'dispute';

export type SetAsideCause = 'unreadable' | 'other_currency';

export interface ObjectToSetAside {
  readonly id: string;
  readonly reason: string;
}

const SET_ASIDE = statement(
  (
    input: Parameters<{
      organizationId: OrganizationId;
      kind: SetAsideKind;
      cause: SetAsideCause;
      ids: readonly string[];
      reasons: readonly string[];
      now: Date;
    }>,
  ) => sql<object>`insert into set_aside_object (organization_id, kind, object_id, cause, reason, first_seen_at, last_seen_at)
     select ${input.organizationId}, ${input.kind}, given.id, ${input.cause}, given.reason, ${input.now}, ${input.now} from unnest(${input.ids}::text[], ${input.reasons}::text[]) as given (id, reason)
     on conflict (organization_id, kind, object_id, cause) do update
       set reason = excluded.reason, last_seen_at = excluded.last_seen_at`,
);

/** Sets objects aside. For a known one, updates the reason and the time last seen. */
export async function setAside(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { kind, cause }: { kind: SetAsideKind; cause: SetAsideCause },
  objects: readonly ObjectToSetAside[],
  now: Date,
): Promise<void> {
  if (objects.length === 0) return;
  const unique = [...new Map(objects.map((object) => [object.id, object])).values()].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
  await tx.run(SET_ASIDE, {
    organizationId,
    kind,
    cause,
    ids: unique.map(({ id }) => id),
    reasons: unique.map(({ reason }) => reason),
    now,
  });
}

const CLEAR_SET_ASIDE = statement(
  (
    input: Parameters<{
      organizationId: OrganizationId;
      kind: SetAsideKind;
      cause: SetAsideCause;
      ids: readonly string[];
    }>,
  ) =>
    sql<object>`delete from set_aside_object where organization_id = ${input.organizationId} and kind = ${input.kind} and cause = ${input.cause} and object_id = any(${input.ids})`,
);

/** Clears objects that can be processed now. */
export async function clearSetAside(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { kind, cause }: { kind: SetAsideKind; cause: SetAsideCause },
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await tx.run(CLEAR_SET_ASIDE, { organizationId, kind, cause, ids });
}

const CLEAR_UNSEEN = statement(
  ({ organizationId, since }: Parameters<{ organizationId: OrganizationId; since: string }>) =>
    sql<object>`delete from set_aside_object where organization_id = ${organizationId} and cause = 'unreadable' and last_seen_at < ${since}::timestamptz`,
);

/** Clears unreadable objects that a full run did not see, because they no longer exist at the processor. */
export async function clearUnseen(tx: WriteTransaction, organizationId: OrganizationId, since: string): Promise<void> {
  await tx.run(CLEAR_UNSEEN, { organizationId, since });
}

const CLEAR_ALL_SET_ASIDE = statement(({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
  db.deleteFrom('setAsideObject').where('organizationId', '=', organizationId),
);

/** Clears all set-aside objects, after all records were withdrawn. */
export async function clearAllSetAside(tx: WriteTransaction, organizationId: OrganizationId): Promise<void> {
  await tx.run(CLEAR_ALL_SET_ASIDE, { organizationId });
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

const SET_ASIDE_PAGE = statement(
  (
    input: Parameters<{ organizationId: OrganizationId; limit: number; offset: number }>,
  ) => sql<SetAsideRow>`select kind, object_id, cause, reason, ${sql.raw(isoMillis('first_seen_at'))} as first_seen_at, ${sql.raw(isoMillis('last_seen_at'))} as last_seen_at
     from set_aside_object where organization_id = ${input.organizationId}
     order by set_aside_object.first_seen_at desc, kind, object_id, cause limit ${input.limit} offset ${input.offset}`,
);

/** A page by the time first seen, newest first. */
export function setAsidePage(
  tx: Transaction,
  organizationId: OrganizationId,
  { limit, offset }: { limit: number; offset: number },
): Promise<SetAsideRow[]> {
  return tx.all(SET_ASIDE_PAGE, { organizationId, limit, offset });
}

const COUNT_SET_ASIDE = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
    sql<{
      count: number;
    }>`select count(*)::int as count from set_aside_object where organization_id = ${organizationId}`,
);

export async function countSetAside(tx: Transaction, organizationId: OrganizationId): Promise<number> {
  const { count } = await tx.one(COUNT_SET_ASIDE, { organizationId });
  return count;
}

const SET_ASIDE_BY_KIND = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
    sql<{
      kind: SetAsideKind;
      count: number;
    }>`select kind, count(*)::int as count from set_aside_object where organization_id = ${organizationId} group by kind order by kind`,
);

/** Number of set-aside objects of each kind, ordered by kind. */
export function setAsideByKind(
  tx: Transaction,
  organizationId: OrganizationId,
): Promise<{ kind: SetAsideKind; count: number }[]> {
  return tx.all(SET_ASIDE_BY_KIND, { organizationId });
}
