/** Who receives a statement for each week or month, and the next one to send. At most one row for each period. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { isoMillis } from '#platform/database/iso-sql.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const StatementScheduleTable = defineEntity({
  name: 'StatementSchedule',
  tableName: 'statement_schedule',
  ...tenantTable('alerting'),
  properties: {
    organizationId: p.uuid().primary(),
    period: p.enum(['WEEK', 'MONTH']).primary(),
    channelIds: p.array(),
    /** Start of the week or month whose statement is sent next. */
    periodStart: p.datetime(3),
    dueAt: p.datetime(3),
    updatedAt: p.datetime(3),
    updatedBy: p.uuid().nullable(),
  },
  indexes: [{ name: 'statement_schedule_due_index', properties: ['dueAt'] }],
});

type Row = InferEntity<typeof StatementScheduleTable>;

/** A schedule as stored in the database. */
export type StatementScheduleRow = { readonly [Key in keyof Row & string]-?: Exclude<Row[Key], undefined> };

/** Weekly before monthly. */
export async function listSchedules(
  tx: WriteTransaction,
  organizationId: OrganizationId,
): Promise<StatementScheduleRow[]> {
  return (await tx.em.find(
    StatementScheduleTable,
    { organizationId },
    { orderBy: { period: 'desc' }, disableIdentityMap: true },
  )) as StatementScheduleRow[];
}

const SAVE_SCHEDULE = statement(
  (input: Parameters<StatementScheduleRow>) =>
    sql<object>`insert into statement_schedule (organization_id, period, channel_ids, period_start, due_at, updated_at, updated_by)
      values (${input.organizationId}, ${input.period}, ${input.channelIds}, ${input.periodStart}, ${input.dueAt},
        ${input.updatedAt}, ${input.updatedBy})
      on conflict (organization_id, period) do update
        set channel_ids = excluded.channel_ids, updated_at = excluded.updated_at, updated_by = excluded.updated_by
        where statement_schedule.organization_id = ${input.organizationId}`,
);

/** An existing schedule keeps its next statement. */
export async function saveSchedule(tx: WriteTransaction, schedule: StatementScheduleRow): Promise<void> {
  await tx.run(SAVE_SCHEDULE, schedule);
}

export async function deleteSchedule(
  tx: WriteTransaction,
  { organizationId, period }: Pick<StatementScheduleRow, 'organizationId' | 'period'>,
): Promise<void> {
  await tx.em.nativeDelete(StatementScheduleTable, { organizationId, period });
}

export type DueStatement = Pick<StatementScheduleRow, 'organizationId' | 'period' | 'periodStart'>;

const CLAIM_STATEMENT = statement(
  (input: Parameters<{ at: Date; retryAt: Date }>) =>
    sql<
      Omit<DueStatement, 'periodStart'> & { periodStart: string }
    >`update statement_schedule set due_at = ${input.retryAt}
      where (organization_id, period) = (
        select due.organization_id, due.period from statement_schedule due where due.due_at <= ${input.at}
        order by due.due_at limit 1 for update skip locked)
      returning organization_id, period, ${sql.raw(isoMillis('period_start'))} as period_start`,
);

/** Claims the statement that has been due longest, until `retryAt`; null if none is due. */
export async function claimStatement(tx: WriteTransaction, at: Date, retryAt: Date): Promise<DueStatement | null> {
  const due = await tx.first(CLAIM_STATEMENT, { at, retryAt });
  return due && { ...due, periodStart: new Date(due.periodStart) };
}

const ADVANCE_SCHEDULE = statement(
  (input: Parameters<DueStatement & { nextStart: Date; nextDueAt: Date }>) =>
    sql<{ channelIds: string[] }>`update statement_schedule
      set period_start = ${input.nextStart}, due_at = ${input.nextDueAt}
      where organization_id = ${input.organizationId} and period = ${input.period} and period_start = ${input.periodStart}
      returning channel_ids`,
);

/** Advances to the next period. Returns the channels, or null if another process did so or the schedule was deleted. */
export async function advanceSchedule(
  tx: WriteTransaction,
  due: DueStatement,
  next: { readonly start: Date; readonly dueAt: Date },
): Promise<readonly string[] | null> {
  const row = await tx.first(ADVANCE_SCHEDULE, { ...due, nextStart: next.start, nextDueAt: next.dueAt });
  return row?.channelIds ?? null;
}
