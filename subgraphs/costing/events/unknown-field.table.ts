/** Fields of events that no one understood, by organization: what senders read in their answers, and others do not. */
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { isDistributed } from '../../../platform/database/nodes/distribution.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { ensureHome, fromHome } from '../../../platform/database/nodes/organization-home.ts';
import type { Transaction } from '../../../platform/database/sql.ts';
import { type Parameters, run, statement } from '../../../platform/database/statement.ts';
import { tables } from '../../../platform/database/tables.ts';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const UnknownFieldTable = defineEntity({
  name: 'UnknownField',
  tableName: 'unknown_field',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    /** As sent, cut to 64 characters. */
    name: p.text().primary(),
    firstSeenAt: p.datetime(3),
    /** Within a second or so: it is not written for every event. */
    lastSeenAt: p.datetime(3),
    /** At least so many: what a process has counted since it wrote last is not there yet. */
    events: p.bigint().default(0),
    /** One of the events that carried it; null for what was recorded before this was kept. */
    exampleEventId: p.uuid().nullable(),
  },
});

const db = tables<typeof UnknownFieldTable>();

/** Of an organization: a sender of random names fills no more. */
const NAMES_MAX = 200;

export interface SeenField {
  readonly name: string;
  readonly events: number;
  readonly exampleEventId: string;
}

interface RecordFields {
  readonly organizationId: string;
  readonly names: readonly string[];
  readonly events: readonly number[];
  readonly eventIds: readonly string[];
  readonly at: Date;
}

const recordFieldsOf = (isAtHome: boolean) =>
  statement(({ organizationId, names, events, eventIds, at }: Parameters<RecordFields>) => {
    const { id, join, isIts } = fromHome(isAtHome, organizationId);
    return sql<object>`
    with known as (
      select name from unknown_field where organization_id = ${organizationId}
    ), sent as (
      select * from unnest(${names}::text[], ${events}::bigint[], ${eventIds}::uuid[]) as sent (name, events, event_id)
    ), kept as (
      (select sent.* from sent where sent.name in (select name from known))
      union all
      (select sent.* from sent where sent.name not in (select name from known)
       limit greatest(${sql.lit(NAMES_MAX)} - (select count(*) from known), 0))
    )
    insert into unknown_field (organization_id, name, first_seen_at, last_seen_at, events, example_event_id)
    select ${id}, name, ${at}, ${at}, events, event_id from kept ${join} where ${isIts} order by name
    on conflict (organization_id, name) do update set last_seen_at = greatest(unknown_field.last_seen_at, excluded.last_seen_at),
      events = unknown_field.events + excluded.events, example_event_id = excluded.example_event_id`;
  });
const RECORD_UNKNOWN_FIELDS = recordFieldsOf(false);
const RECORD_AT_HOME = recordFieldsOf(true);

/** Names are different. They are written in one order: two batches in different ones would deadlock. */
export async function recordUnknownFields(
  em: EntityManager,
  organizationId: string,
  fields: readonly SeenField[],
  at: Date,
): Promise<void> {
  await ensureHome(em, organizationId);
  await run(em, isDistributed(em) ? RECORD_AT_HOME : RECORD_UNKNOWN_FIELDS, {
    organizationId,
    names: fields.map(({ name }) => name),
    events: fields.map(({ events }) => events),
    eventIds: fields.map(({ exampleEventId }) => exampleEventId),
    at,
  });
}

const LIST_UNKNOWN_FIELDS = statement(({ organizationId }: Parameters<{ organizationId: string }>) =>
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

/** The latest first; at most some hundreds. */
export async function listUnknownFieldRows(tx: Transaction, organizationId: string): Promise<UnknownFieldRow[]> {
  return run(tx, LIST_UNKNOWN_FIELDS, { organizationId });
}
