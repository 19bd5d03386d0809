/** One report table of one period that a schedule writes, and the outcome. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';

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
    /** Number of attempts begun since the delivery was planned or requested again. */
    attempts: p.integer(),
    deliveredAt: p.datetime(3).nullable(),
    /** Rows, size and hash describe the last complete delivery. */
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

export async function findExportDelivery(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<ExportDeliveryRow | null> {
  const [delivery] = await tx.em.find(ExportDeliveryTable, { organizationId, id }, { disableIdentityMap: true });
  return (delivery as ExportDeliveryRow | undefined) ?? null;
}

/** A page of deliveries, newest period first. */
export async function listExportDeliveryRows(
  tx: WriteTransaction,
  where: { readonly organizationId: OrganizationId; readonly scheduleId?: string },
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
  organizationId: OrganizationId,
  scheduleId: string,
): Promise<void> {
  await tx.em.nativeDelete(ExportDeliveryTable, { organizationId, scheduleId });
}

const FORGET = statement(
  (input: Parameters<{ organizationId: OrganizationId; scheduleId: string; before: Date }>) =>
    sql<object>`delete from export_delivery
      where organization_id = ${input.organizationId} and schedule_id = ${input.scheduleId}
        and delivered_at < ${input.before} and due_at is null`,
);

/** Deletes the records of deliveries that ended before then. The files stay. */
export async function forgetExports(
  tx: WriteTransaction,
  input: { readonly organizationId: OrganizationId; readonly scheduleId: string; readonly before: Date },
): Promise<void> {
  await tx.run(FORGET, input);
}
