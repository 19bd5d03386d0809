/**
 * How long an organization keeps the metadata of its events, and the last event whose metadata was removed (decision
 * 28).
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { lookAcross } from '#platform/database/nodes/look-across.ts';
import type { Database } from '#platform/database/open-database.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const MetadataRetentionTable = defineEntity({
  name: 'MetadataRetention',
  tableName: 'metadata_retention',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    /** Months after an event's receipt; null: forever. */
    months: p.integer().nullable(),
    /** Metadata keys that are kept. */
    keepDimensions: p.array(),
    /** The last event checked: ids increase with the time of receipt. */
    doneUntil: p.uuid(),
    nextLookAt: p.datetime(3),
  },
  indexes: [{ name: 'metadata_retention_look_index', properties: ['nextLookAt'] }],
});

export interface RetentionRow {
  readonly months: number | null;
  readonly keepDimensions: string[];
}

const NO_EVENT = '00000000-0000-0000-0000-000000000000';

const FIND_RETENTION = statement<RetentionRow, { readonly organizationId: OrganizationId }>(
  'select months, keep_dimensions from metadata_retention where organization_id = :organizationId',
  { isPointRead: true },
);

export async function findRetention(tx: Transaction, organizationId: OrganizationId): Promise<RetentionRow | null> {
  const [row] = await tx.all(FIND_RETENTION, { organizationId });
  return row ?? null;
}

const SAVE_RETENTION = statement<
  object,
  {
    readonly organizationId: OrganizationId;
    readonly months: number | null;
    readonly keepDimensions: readonly string[];
    readonly at: Date;
  }
>(`insert into metadata_retention (organization_id, months, keep_dimensions, done_until, next_look_at)
     values (:organizationId, :months, :keepDimensions, '${NO_EVENT}', :at)
     on conflict (organization_id) do update set months = excluded.months, keep_dimensions = excluded.keep_dimensions,
       next_look_at = excluded.next_look_at`);

export async function saveRetention(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { months, keepDimensions }: { readonly months: number | null; readonly keepDimensions: readonly string[] },
  at: Date,
): Promise<void> {
  await tx.run(SAVE_RETENTION, { organizationId, months, keepDimensions, at });
}

export interface OrganizationRetention {
  readonly organizationId: OrganizationId;
  readonly months: number;
  readonly keepDimensions: string[];
}

/** Retentions of organizations that do not keep metadata forever, by organization id, beginning after `after`. */
export async function listRetentions(database: Database, after: string, max: number): Promise<OrganizationRetention[]> {
  const found = await lookAcross<Omit<OrganizationRetention, 'keepDimensions'> & { keepDimensions: string }>(database, {
    tables: ['metadata_retention'],
    text: (table) => `
      select organization_id, months, to_json(keep_dimensions)::text as keep_dimensions from ${table}
      where months is not null and organization_id > $1::uuid order by organization_id limit $2`,
    parameters: [after, max],
    compare: (one, other) => (one.organizationId < other.organizationId ? -1 : 1),
  });
  return found.slice(0, max).map((row) => ({ ...row, keepDimensions: JSON.parse(row.keepDimensions) as string[] }));
}

export interface DueRetention {
  readonly organizationId: OrganizationId;
  readonly keepDimensions: string[];
  readonly doneUntil: string;
  /** Lowest id of the events that keep their metadata. */
  readonly horizon: string;
}

/** Organizations that are due, longest overdue first. */
export async function findDueRetentions(database: Database, at: Date): Promise<string[]> {
  const due = await lookAcross<{ organizationId: OrganizationId; dueAt: number }>(database, {
    tables: ['metadata_retention'],
    text: (table) => `
      select organization_id, extract(epoch from next_look_at)::float8 as due_at from ${table}
      where ${isDue('$1')} order by next_look_at limit ${DUE_MAX}`,
    parameters: [at.toISOString()],
    compare: (one, other) => one.dueAt - other.dueAt,
  });
  return due.map(({ organizationId }) => organizationId);
}

const DUE_MAX = 20;
/** `at` is SQL. */
const isDue = (at: string) => `months is not null and next_look_at <= ${at}::timestamptz`;

const LOCK_RETENTION = statement<
  DueRetention,
  { readonly at: Date; readonly organizationId: OrganizationId }
>(`select organization_id, keep_dimensions, done_until,
       (lpad(to_hex((extract(epoch from :at::timestamptz - make_interval(months => months)) * 1000)::bigint), 12, '0')
         || '70008000000000000000')::uuid as horizon
     from metadata_retention where ${isDue(':at')} and organization_id = :organizationId for update skip locked`);

/** Returns null if the organization is no longer due, or another process is handling it. */
export async function lockRetention(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  at: Date,
): Promise<DueRetention | null> {
  const [row] = await tx.all(LOCK_RETENTION, { at, organizationId });
  return row ?? null;
}

const MOVE_RETENTION = statement<
  object,
  { readonly organizationId: OrganizationId; readonly doneUntil: string; readonly nextLookAt: Date }
>(
  'update metadata_retention set done_until = :doneUntil, next_look_at = :nextLookAt where organization_id = :organizationId',
);

/** Records the last event that was checked (`doneUntil`), and when the organization is due again. */
export async function moveRetention(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  doneUntil: string,
  nextLookAt: Date,
): Promise<void> {
  await tx.run(MOVE_RETENTION, { organizationId, doneUntil, nextLookAt });
}
