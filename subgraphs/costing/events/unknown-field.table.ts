/**
 * Fields of events that were not understood, by organization. Ingestion results list them too, but only their sender
 * sees those.
 */
import type { EventId, OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { ensureHome, fromHome } from '#platform/database/nodes/organization-home.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tables } from '#platform/database/tables.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const UnknownFieldTable = defineEntity({
  name: 'UnknownField',
  tableName: 'unknown_field',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    /** As sent, truncated to 64 characters. */
    name: p.text().primary(),
    firstSeenAt: p.datetime(3),
    /** Accurate to about a second, because it is not updated for every event. */
    lastSeenAt: p.datetime(3),
    /** A lower bound: events that a process has counted but not written yet are missing. */
    events: p.bigint().default(0),
    /** Id of one event with the field; null for rows recorded before examples were stored. */
    exampleEventId: p.uuid().nullable(),
  },
});

const db = tables<typeof UnknownFieldTable>();

/** Maximum per organization, to limit senders of random names. */
const NAMES_MAX = 200;

export interface SeenField {
  readonly name: string;
  readonly events: number;
  readonly exampleEventId: string;
}

interface RecordFields {
  readonly organizationId: OrganizationId;
  readonly names: readonly string[];
  readonly events: readonly number[];
  readonly eventIds: readonly EventId[];
  readonly at: Date;
}

const KNOWN_NAMES = statement(({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
  db.selectFrom('unknownField').select('name').where('organizationId', '=', organizationId),
);

const recordFields =
  (isAtHome: boolean) =>
  ({ organizationId, names, events, eventIds, at }: Parameters<RecordFields>) => {
    const { id, join, isIts } = fromHome(isAtHome, organizationId);
    return sql<object>`
    insert into unknown_field (organization_id, name, first_seen_at, last_seen_at, events, example_event_id)
    select ${id}, name, ${at}, ${at}, events, event_id
    from unnest(${names}::text[], ${events}::bigint[], ${eventIds}::uuid[]) as sent (name, events, event_id) ${join} where ${isIts} order by name
    on conflict (organization_id, name) do update set last_seen_at = greatest(unknown_field.last_seen_at, excluded.last_seen_at),
      events = unknown_field.events + excluded.events, example_event_id = excluded.example_event_id`;
  };
const RECORD_UNKNOWN_FIELDS = statement({ onOneNode: recordFields(false), onSeveralNodes: recordFields(true) });

/**
 * `fields` have distinct names. They are written in a fixed order, since batches with different orders would
 * deadlock.
 */
export async function recordUnknownFields(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  fields: readonly SeenField[],
  at: Date,
): Promise<void> {
  await ensureHome(tx, organizationId);
  const known = new Set((await tx.all(KNOWN_NAMES, { organizationId })).map(({ name }) => name));
  const unknown = fields.filter(({ name }) => !known.has(name)).slice(0, Math.max(NAMES_MAX - known.size, 0));
  const kept = [...fields.filter(({ name }) => known.has(name)), ...unknown];
  await tx.run(RECORD_UNKNOWN_FIELDS, {
    organizationId,
    names: kept.map(({ name }) => name),
    events: kept.map(({ events }) => events),
    eventIds: kept.map(({ exampleEventId }) => exampleEventId),
    at,
  });
}

const LIST_UNKNOWN_FIELDS = statement(({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
  db
    .selectFrom('unknownField')
    .select(['name', 'firstSeenAt', 'lastSeenAt', 'exampleEventId'])
    .select(sql<number>`events::float8`.as('events'))
    .where('organizationId', '=', organizationId)
    .orderBy('lastSeenAt', 'desc')
    .orderBy('name'),
);

export interface UnknownFieldRow {
  readonly name: string;
  readonly firstSeenAt: string;
  readonly lastSeenAt: string;
  readonly events: number;
  readonly exampleEventId: string | null;
}

/** Latest first; at most a few hundred. */
export async function listUnknownFieldRows(
  tx: Transaction,
  organizationId: OrganizationId,
): Promise<UnknownFieldRow[]> {
  return tx.all(LIST_UNKNOWN_FIELDS, { organizationId });
}
