/** The queue of export deliveries: claims due ones, records how an attempt ended, and makes deliveries due again. */
import type { OrganizationId } from '#kernel/ids.ts';
import { sql } from 'kysely';
import { type Parameters, statement } from '#platform/database/statement.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { EXPORT_LEASE_MINUTES } from '../config.ts';
import type { ExportDeliveryRow } from './export-delivery.table.ts';

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
  (
    input: Parameters<{
      organizationId: OrganizationId;
      id: string;
      attempts: number;
      dueAt: Date | null;
      error: string;
    }>,
  ) =>
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
  (input: Parameters<{ organizationId: OrganizationId; scheduleId: string }>) =>
    sql<object>`update export_delivery set due_at = null, lease_until = null
      where organization_id = ${input.organizationId} and schedule_id = ${input.scheduleId} and due_at is not null`,
);

/** Takes all deliveries of a schedule off the queue. */
export async function parkExports(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  scheduleId: string,
): Promise<void> {
  await tx.run(PARK, { organizationId, scheduleId });
}

const RESUME = statement(
  (input: Parameters<{ organizationId: OrganizationId; scheduleId: string; tables: readonly string[]; at: Date }>) =>
    sql<object>`update export_delivery set due_at = ${input.at}, lease_until = null, attempts = 0
      where organization_id = ${input.organizationId} and schedule_id = ${input.scheduleId}
        and report_table = any(${input.tables}::text[]) and (due_at is not null or last_error is not null or delivered_at is null)`,
);

const DROP = statement(
  (input: Parameters<{ organizationId: OrganizationId; scheduleId: string; tables: readonly string[] }>) =>
    sql<object>`delete from export_delivery
      where organization_id = ${input.organizationId} and schedule_id = ${input.scheduleId}
        and not report_table = any(${input.tables}::text[]) and delivered_at is null`,
);

/** Makes the unfinished deliveries of these tables due again, and deletes the deliveries of other tables. */
export async function resumeExports(
  tx: WriteTransaction,
  input: {
    readonly organizationId: OrganizationId;
    readonly scheduleId: string;
    readonly tables: readonly string[];
    readonly at: Date;
  },
): Promise<void> {
  await tx.run(RESUME, input);
  await tx.run(DROP, input);
}

const REPEAT = statement(
  (input: Parameters<{ organizationId: OrganizationId; id: string; at: Date }>) =>
    sql<{ id: string }>`update export_delivery set due_at = ${input.at}, lease_until = null, attempts = 0
      where organization_id = ${input.organizationId} and id = ${input.id} returning id`,
);

/** Makes a delivery due at once. */
export async function repeatExport(
  tx: WriteTransaction,
  input: { readonly organizationId: OrganizationId; readonly id: string; readonly at: Date },
): Promise<void> {
  await tx.run(REPEAT, input);
}

const REPEAT_MONTHS = statement(
  (
    input: Parameters<{
      organizationId: OrganizationId;
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
    readonly organizationId: OrganizationId;
    readonly scheduleId: string;
    readonly tables: readonly string[];
    readonly fromMonth: string;
    readonly untilMonth: string;
    readonly at: Date;
  },
): Promise<void> {
  await tx.run(REPEAT_MONTHS, input);
}
