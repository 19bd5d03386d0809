/** Fields of events that no one understood, by organization: what senders read in their answers, and others do not. */
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/open-database.ts';
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
    /** Within a minute or so: it is not written for every event. */
    lastSeenAt: p.datetime(3),
  },
});

const db = tables<typeof UnknownFieldTable>();

/** Of an organization: a sender of random names fills no more. */
const NAMES_MAX = 200;

const RECORD_UNKNOWN_FIELDS = statement(
  ({
    organizationId,
    names,
    at,
  }: Parameters<{ organizationId: string; names: readonly string[]; at: Date }>) => sql<object>`
    with known as (
      select name from unknown_field where organization_id = ${organizationId}
    ), kept as (
      (select name from known where name = any(${names}::text[]))
      union all
      (select sent.name from unnest(${names}::text[]) as sent (name) where sent.name not in (select name from known)
       limit greatest(${sql.lit(NAMES_MAX)} - (select count(*) from known), 0))
    )
    insert into unknown_field (organization_id, name, first_seen_at, last_seen_at)
    select ${organizationId}, name, ${at}, ${at} from kept order by name
    on conflict (organization_id, name) do update set last_seen_at = greatest(unknown_field.last_seen_at, excluded.last_seen_at)`,
);

/** `names` are different. They are written in one order: two batches in different ones would deadlock. */
export async function recordUnknownFields(
  em: EntityManager,
  organizationId: string,
  names: readonly string[],
  at: Date,
): Promise<void> {
  await run(em, RECORD_UNKNOWN_FIELDS, { organizationId, names, at });
}

const LIST_UNKNOWN_FIELDS = statement(({ organizationId }: Parameters<{ organizationId: string }>) =>
  db
    .selectFrom('unknownField')
    .select(['name', 'firstSeenAt', 'lastSeenAt'])
    .where('organizationId', '=', organizationId)
    .orderBy('lastSeenAt', 'desc')
    .orderBy('name'),
);

export interface UnknownFieldRow {
  readonly name: string;
  readonly firstSeenAt: string;
  readonly lastSeenAt: string;
}

/** The latest first; at most some hundreds. */
export async function listUnknownFieldRows(tx: Transaction, organizationId: string): Promise<UnknownFieldRow[]> {
  return run(tx, LIST_UNKNOWN_FIELDS, { organizationId });
}
