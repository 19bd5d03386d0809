/** Scheduled exports: which report tables are written where, for each day or month, and the next period. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { isoMillis } from '#platform/database/iso-sql.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';

export const ExportScheduleTable = defineEntity({
  name: 'ExportSchedule',
  tableName: 'export_schedule',
  ...tenantTable('alerting'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    name: p.text(),
    /** Names of report tables. */
    tables: p.array(),
    format: p.enum(['CSV', 'JSONL', 'PARQUET']),
    /** What one file covers. */
    period: p.enum(['DAY', 'MONTH']),
    /** For tables that offer grains or versions; null for their default. */
    grain: p.text().nullable(),
    version: p.text().nullable(),
    /** Base URL of the storage; null for Amazon S3. */
    endpoint: p.text().nullable(),
    region: p.text(),
    bucket: p.text(),
    prefix: p.text(),
    accessKeyId: p.text(),
    /** AES-256-GCM; null if it was lost. */
    sealedSecret: p.blob().nullable(),
    /** Channels that are notified of failures. */
    channelIds: p.array(),
    /** Start of the day or month that is exported next. */
    nextPeriodStart: p.datetime(3),
    /** When that period is due; null while stopped. */
    dueAt: p.datetime(3).nullable(),
    /** Why the last attempt failed; null if it succeeded. */
    lastError: p.text().nullable(),
    stoppedReason: p.text().nullable(),
    testedAt: p.datetime(3).nullable(),
    /** Time at which the closed months were last compared with the next two columns; null: never. */
    closingsCheckedAt: p.datetime(3).nullable(),
    /** First open month (`2026-11`) of costs and of revenue at that check; null if no month was closed. */
    costsOpenFrom: p.text().nullable(),
    revenueOpenFrom: p.text().nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    /** The person who saved it last: exports stop when this person may no longer save them. Null for an operator. */
    updatedBy: p.uuid().nullable(),
  },
  indexes: [
    {
      name: 'export_schedule_due_index',
      expression: 'create index export_schedule_due_index on export_schedule (due_at) where due_at is not null',
    },
  ],
});

type Row = InferEntity<typeof ExportScheduleTable>;

/** A schedule as stored. */
export type ExportScheduleRow = { readonly [Key in keyof Row & string]-?: Exclude<Row[Key], undefined> };

/** The organization's scheduled exports, ordered by creation time. */
export async function listExportScheduleRows(
  tx: WriteTransaction,
  organizationId: OrganizationId,
): Promise<ExportScheduleRow[]> {
  const orderBy = { createdAt: 'asc', id: 'asc' } as const;
  return (await tx.em.find(
    ExportScheduleTable,
    { organizationId },
    { orderBy, disableIdentityMap: true },
  )) as ExportScheduleRow[];
}

/** Null if the organization has none with this id. */
export async function findExportSchedule(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<ExportScheduleRow | null> {
  const [schedule] = await tx.em.find(ExportScheduleTable, { organizationId, id }, { disableIdentityMap: true });
  return (schedule as ExportScheduleRow | undefined) ?? null;
}

/** Locks the organization's schedules until the transaction ends: nobody else can add or change one. */
export async function holdExportSchedules(
  tx: WriteTransaction,
  organizationId: OrganizationId,
): Promise<ExportScheduleRow[]> {
  await lockOrganization(tx, 'exportSchedules', organizationId);
  return listExportScheduleRows(tx, organizationId);
}

/** Inserts a schedule, or replaces it completely. */
export async function saveExportScheduleRow(tx: WriteTransaction, schedule: ExportScheduleRow): Promise<void> {
  await tx.em.upsert(ExportScheduleTable, schedule, { disableIdentityMap: true });
}

export async function deleteExportScheduleRow(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<void> {
  await tx.em.nativeDelete(ExportScheduleTable, { organizationId, id });
}

export type DueSchedule = Pick<ExportScheduleRow, 'organizationId' | 'id' | 'tables' | 'period' | 'nextPeriodStart'>;

const HOLD_DUE = statement(
  ({ at }: Parameters<{ at: Date }>) =>
    sql<
      Omit<DueSchedule, 'nextPeriodStart'> & { nextPeriodStart: string }
    >`select organization_id, id, tables, period, ${sql.raw(isoMillis('next_period_start'))} as next_period_start
      from export_schedule /* every organization */ where due_at <= ${at} order by due_at limit 1 for update skip locked`,
);

/** Locks the schedule that has been due longest; null if none is due. */
export async function holdDueSchedule(tx: WriteTransaction, at: Date): Promise<DueSchedule | null> {
  const due = await tx.first(HOLD_DUE, { at });
  return due && { ...due, nextPeriodStart: new Date(due.nextPeriodStart) };
}

const ADVANCE = statement(
  (input: Parameters<{ organizationId: OrganizationId; id: string; start: Date; dueAt: Date }>) =>
    sql<object>`update export_schedule set next_period_start = ${input.start}, due_at = ${input.dueAt}
      where organization_id = ${input.organizationId} and id = ${input.id}`,
);

/** Advances to the next period. */
export async function advanceExportSchedule(
  tx: WriteTransaction,
  { organizationId, id }: Pick<DueSchedule, 'organizationId' | 'id'>,
  next: { readonly start: Date; readonly dueAt: Date },
): Promise<void> {
  await tx.run(ADVANCE, { organizationId, id, ...next });
}

const MARK_ATTEMPT = statement(
  (input: Parameters<{ organizationId: OrganizationId; id: string; lastError: string | null }>) =>
    sql<object>`update export_schedule set last_error = ${input.lastError}
      where organization_id = ${input.organizationId} and id = ${input.id}`,
);

/** Records whether the last attempt succeeded (null) or why it failed. */
export async function markExportAttempt(
  tx: WriteTransaction,
  { organizationId, id }: Pick<ExportScheduleRow, 'organizationId' | 'id'>,
  lastError: string | null,
): Promise<void> {
  await tx.run(MARK_ATTEMPT, { organizationId, id, lastError });
}

const MARK_TESTED = statement(
  (input: Parameters<{ organizationId: OrganizationId; id: string; at: Date; before: Date }>) =>
    sql<{ id: string }>`update export_schedule set tested_at = ${input.at}
      where organization_id = ${input.organizationId} and id = ${input.id}
        and (tested_at is null or tested_at < ${input.before}) returning id`,
);

/** False if it was tested after `before`. */
export async function markTested(
  tx: WriteTransaction,
  input: { readonly organizationId: OrganizationId; readonly id: string; readonly at: Date; readonly before: Date },
): Promise<boolean> {
  return (await tx.all(MARK_TESTED, input)).length > 0;
}

export type CheckedSchedule = Pick<ExportScheduleRow, 'organizationId' | 'id' | 'costsOpenFrom' | 'revenueOpenFrom'> & {
  /** True if its closed months were never read before. */
  readonly isFirst: boolean;
};

const CLAIM_CLOSING_CHECK = statement(
  ({ at, before }: Parameters<{ at: Date; before: Date }>) =>
    sql<CheckedSchedule>`with due as (
        select organization_id, id, closings_checked_at is null as is_first from export_schedule /* every organization */
        where due_at is not null and (closings_checked_at is null or closings_checked_at < ${before})
        order by closings_checked_at nulls first, id limit 1 for update skip locked)
      update export_schedule s set closings_checked_at = ${at} from due
      where s.organization_id = due.organization_id and s.id = due.id
      returning s.organization_id, s.id, s.costs_open_from, s.revenue_open_from, due.is_first`,
);

/** Claims a schedule whose last check was before `before`, the oldest first. Null if none is due. */
export function claimClosingCheck(
  tx: WriteTransaction,
  input: { readonly at: Date; readonly before: Date },
): Promise<CheckedSchedule | null> {
  return tx.first(CLAIM_CLOSING_CHECK, input);
}

const MARK_CLOSINGS = statement(
  (
    input: Parameters<{
      organizationId: OrganizationId;
      id: string;
      costsOpenFrom: string | null;
      revenueOpenFrom: string | null;
    }>,
  ) =>
    sql<{ tables: string[] }>`update export_schedule
      set costs_open_from = ${input.costsOpenFrom}, revenue_open_from = ${input.revenueOpenFrom}
      where organization_id = ${input.organizationId} and id = ${input.id} and due_at is not null returning tables`,
);

/** Returns the tables of the schedule; null if it was stopped or deleted since. */
export async function markClosings(
  tx: WriteTransaction,
  input: Pick<ExportScheduleRow, 'organizationId' | 'id' | 'costsOpenFrom' | 'revenueOpenFrom'>,
): Promise<readonly string[] | null> {
  return (await tx.first(MARK_CLOSINGS, input))?.tables ?? null;
}
