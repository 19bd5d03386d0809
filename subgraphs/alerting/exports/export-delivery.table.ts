/** One report table of one period that a schedule writes, and the outcome. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { EXPORT_LEASE_MINUTES } from '../config.ts';

export const ExportDeliveryTable = defineEntity({
  name: 'ExportDelivery',
  tableName: 'export_delivery',
  ...tenantTable('alerting'),
  properties: {
    organizationId: p.uuid().primary(),
    /** Derived from schedule, table and period. */
    id: p.uuid().primary(),
    scheduleId: p.uuid(),
    reportTable: p.text(),
    /** `2026-11-27` or `2026-11`. */
    period: p.text(),
    createdAt: p.datetime(3),
    /** Time of the next attempt; null after the last one. */
    dueAt: p.datetime(3).nullable(),
    leaseUntil: p.datetime(3).nullable(),
    /** Attempts begun since it was last due for the first time. */
    attempts: p.integer(),
    deliveredAt: p.datetime(3).nullable(),
    /** Rows, size and hash are those of the last complete delivery. */
    rows: p.bigint('number').nullable(),
    bytes: p.bigint('number').nullable(),
    /** SHA-256 of the data file, hexadecimal. */
    sha256: p.text().nullable(),
    manifestKey: p.text().nullable(),
    lastError: p.text().nullable(),
  },
  indexes: [
    {
      name: 'export_delivery_due_index',
      expression: 'create index export_delivery_due_index on export_delivery (due_at) where due_at is not null',
    },
    {
      name: 'export_delivery_lease_index',
      expression:
        'create index export_delivery_lease_index on export_delivery (organization_id) where lease_until is not null',
    },
    { name: 'export_delivery_schedule_index', properties: ['organizationId', 'scheduleId', 'period', 'id'] },
  ],
});

type Row = InferEntity<typeof ExportDeliveryTable>;

/** A delivery as stored. */
export type ExportDeliveryRow = { readonly [Key in keyof Row & string]-?: Exclude<Row[Key], undefined> };

const ADD = statement(
  (
    input: Parameters<
      Pick<ExportDeliveryRow, 'organizationId' | 'id' | 'scheduleId' | 'reportTable' | 'period'> & { at: Date }
    >,
  ) =>
    sql<object>`insert into export_delivery (organization_id, id, schedule_id, report_table, period, created_at, due_at, attempts)
      values (${input.organizationId}, ${input.id}, ${input.scheduleId}, ${input.reportTable}, ${input.period},
        ${input.at}, ${input.at}, 0)
      on conflict (organization_id, id) do nothing`,
);

/** Due at once. An existing delivery is left unchanged. */
export async function addExportDelivery(
  tx: WriteTransaction,
  delivery: Pick<ExportDeliveryRow, 'organizationId' | 'id' | 'scheduleId' | 'reportTable' | 'period'>,
  at: Date,
): Promise<void> {
  await tx.run(ADD, { ...delivery, at });
}

export type ClaimedExport = Pick<
  ExportDeliveryRow,
  'organizationId' | 'id' | 'scheduleId' | 'reportTable' | 'period' | 'attempts'
>;

const CLAIM = statement(
  ({ at }: Parameters<{ at: Date }>) =>
    sql<ClaimedExport>`update export_delivery set attempts = attempts + 1,
        lease_until = ${at}::timestamptz + make_interval(mins => ${sql.lit(EXPORT_LEASE_MINUTES)})
      where (organization_id, id) = (
        select due.organization_id, due.id from export_delivery due
        where due.due_at <= ${at} and (due.lease_until is null or due.lease_until < ${at})
          and not exists (select 1 from export_delivery held
            where held.organization_id = due.organization_id and held.lease_until >= ${at})
        order by due.due_at, due.id limit 1 for update skip locked)
      returning organization_id, id, schedule_id, report_table, period, attempts`,
);

/** Claims the delivery that has been due longest; null if none is due. An organization has one running delivery. */
export function claimExport(tx: WriteTransaction, at: Date): Promise<ClaimedExport | null> {
  return tx.first(CLAIM, { at });
}

const FAIL = statement(
  (input: Parameters<{ organizationId: string; id: string; attempts: number; dueAt: Date | null; error: string }>) =>
    sql<{
      id: string;
    }>`update export_delivery set due_at = ${input.dueAt}, lease_until = null, last_error = ${input.error}
      where organization_id = ${input.organizationId} and id = ${input.id} and attempts = ${input.attempts}
        and due_at is not null
      returning id`,
);

/** False if the delivery has been claimed again, made due again or deleted since. */
export async function failExport(
  tx: WriteTransaction,
  { organizationId, id, attempts }: ClaimedExport,
  end: { readonly dueAt: Date | null; readonly error: string },
): Promise<boolean> {
  return (await tx.all(FAIL, { organizationId, id, attempts, ...end })).length > 0;
}

interface Delivered {
  readonly at: Date;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly manifestKey: string;
}

const END = statement(
  (input: Parameters<Pick<ClaimedExport, 'organizationId' | 'id' | 'attempts'> & Delivered>) =>
    sql<{ id: string }>`update export_delivery set due_at = null, lease_until = null, last_error = null,
        delivered_at = ${input.at}, rows = ${input.rows}::bigint, bytes = ${input.bytes}::bigint,
        sha256 = ${input.sha256}, manifest_key = ${input.manifestKey}
      where organization_id = ${input.organizationId} and id = ${input.id} and attempts = ${input.attempts}
        and due_at is not null
      returning id`,
);

/** False if the delivery has been claimed again, made due again or deleted since. */
export async function endExport(
  tx: WriteTransaction,
  { organizationId, id, attempts }: ClaimedExport,
  delivered: Delivered,
): Promise<boolean> {
  return (await tx.all(END, { organizationId, id, attempts, ...delivered })).length > 0;
}

const PARK = statement(
  (input: Parameters<{ organizationId: string; scheduleId: string }>) =>
    sql<object>`update export_delivery set due_at = null, lease_until = null
      where organization_id = ${input.organizationId} and schedule_id = ${input.scheduleId} and due_at is not null`,
);

/** Takes all deliveries of a schedule off the queue. */
export async function parkExports(tx: WriteTransaction, organizationId: string, scheduleId: string): Promise<void> {
  await tx.run(PARK, { organizationId, scheduleId });
}

const RESUME = statement(
  (input: Parameters<{ organizationId: string; scheduleId: string; tables: readonly string[]; at: Date }>) =>
    sql<object>`update export_delivery set due_at = ${input.at}, lease_until = null, attempts = 0
      where organization_id = ${input.organizationId} and schedule_id = ${input.scheduleId}
        and report_table = any(${input.tables}::text[]) and (due_at is not null or last_error is not null or delivered_at is null)`,
);

const DROP = statement(
  (input: Parameters<{ organizationId: string; scheduleId: string; tables: readonly string[] }>) =>
    sql<object>`delete from export_delivery
      where organization_id = ${input.organizationId} and schedule_id = ${input.scheduleId}
        and not report_table = any(${input.tables}::text[]) and delivered_at is null`,
);

/** Makes the unfinished deliveries of these tables due again, and deletes those of other tables. */
export async function resumeExports(
  tx: WriteTransaction,
  input: {
    readonly organizationId: string;
    readonly scheduleId: string;
    readonly tables: readonly string[];
    readonly at: Date;
  },
): Promise<void> {
  await tx.run(RESUME, input);
  await tx.run(DROP, input);
}

const REPEAT = statement(
  (input: Parameters<{ organizationId: string; id: string; at: Date }>) =>
    sql<{ id: string }>`update export_delivery set due_at = ${input.at}, lease_until = null, attempts = 0
      where organization_id = ${input.organizationId} and id = ${input.id} returning id`,
);

/** Makes a delivery due at once. */
export async function repeatExport(
  tx: WriteTransaction,
  input: { readonly organizationId: string; readonly id: string; readonly at: Date },
): Promise<void> {
  await tx.run(REPEAT, input);
}

const REPEAT_MONTHS = statement(
  (
    input: Parameters<{
      organizationId: string;
      scheduleId: string;
      tables: readonly string[];
      fromMonth: string;
      untilMonth: string;
      at: Date;
    }>,
  ) =>
    sql<object>`update export_delivery set due_at = ${input.at}, lease_until = null, attempts = 0
      where organization_id = ${input.organizationId} and schedule_id = ${input.scheduleId}
        and report_table = any(${input.tables}::text[]) and period >= ${input.fromMonth} and period < ${input.untilMonth}`,
);

/** Makes the deliveries of these months, and of their days, due at once. Months are `2026-11`; the first may be empty. */
export async function repeatMonths(
  tx: WriteTransaction,
  input: {
    readonly organizationId: string;
    readonly scheduleId: string;
    readonly tables: readonly string[];
    readonly fromMonth: string;
    readonly untilMonth: string;
    readonly at: Date;
  },
): Promise<void> {
  await tx.run(REPEAT_MONTHS, input);
}

export async function findExportDelivery(
  tx: WriteTransaction,
  organizationId: string,
  id: string,
): Promise<ExportDeliveryRow | null> {
  const [delivery] = await tx.em.find(ExportDeliveryTable, { organizationId, id }, { disableIdentityMap: true });
  return (delivery as ExportDeliveryRow | undefined) ?? null;
}

/** Newest period first. */
export async function listExportDeliveryRows(
  tx: WriteTransaction,
  where: { readonly organizationId: string; readonly scheduleId?: string },
  { limit, offset }: { limit: number; offset: number },
): Promise<{ deliveries: ExportDeliveryRow[]; count: number }> {
  const orderBy = { period: 'desc', id: 'desc' } as const;
  const [rows, count] = await tx.em.findAndCount(ExportDeliveryTable, where, {
    limit,
    offset,
    orderBy,
    disableIdentityMap: true,
  });
  return { deliveries: rows as ExportDeliveryRow[], count };
}

export async function deleteExportDeliveries(
  tx: WriteTransaction,
  organizationId: string,
  scheduleId: string,
): Promise<void> {
  await tx.em.nativeDelete(ExportDeliveryTable, { organizationId, scheduleId });
}

const FORGET = statement(
  (input: Parameters<{ organizationId: string; scheduleId: string; before: Date }>) =>
    sql<object>`delete from export_delivery
      where organization_id = ${input.organizationId} and schedule_id = ${input.scheduleId}
        and delivered_at < ${input.before} and due_at is null`,
);

/** Deletes the records of deliveries that ended before then. The files stay. */
export async function forgetExports(
  tx: WriteTransaction,
  input: { readonly organizationId: string; readonly scheduleId: string; readonly before: Date },
): Promise<void> {
  await tx.run(FORGET, input);
}
