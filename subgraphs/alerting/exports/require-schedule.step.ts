/** Finds the schedule that a caller names. */
import type { OrganizationId } from '#kernel/ids.ts';
import { isUuid } from '#kernel/uuid.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { fail } from '#kernel/errors.ts';
import { type ExportScheduleRow, holdExportSchedules } from './export-schedule.table.ts';

/** Locks it: nobody else can change it until the transaction ends. Fails with `NOT_FOUND`. */
export async function requireSchedule(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<ExportScheduleRow> {
  const schedules = isUuid(id) ? await holdExportSchedules(tx, organizationId) : [];
  return schedules.find((one) => one.id === id) ?? fail('NOT_FOUND', 'id: scheduled export not found');
}
