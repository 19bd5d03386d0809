/** Stops a schedule until somebody saves it again, and notifies its channels. */
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { servicePrincipal } from '#platform/principal.ts';
import { randomUuid } from '#platform/random.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { parkExports } from './export-queue.step.ts';
import { type ExportScheduleRow, saveExportScheduleRow } from './export-schedule.table.ts';
import { notifyOfExport } from './notify-of-export.step.ts';

/** `schedule`: as stored, read in this transaction. */
export async function stopSchedule(
  tx: WriteTransaction,
  schedule: ExportScheduleRow,
  { reason, at, origin }: { readonly reason: string; readonly at: Date; readonly origin: string },
): Promise<void> {
  const { organizationId, id, name } = schedule;
  await saveExportScheduleRow(tx, { ...schedule, dueAt: null, stoppedReason: reason });
  await parkExports(tx, organizationId, id);
  await recordAudit(tx, {
    organizationId,
    at,
    action: 'export_schedule.stopped',
    ...actorOf(servicePrincipal('alerting', randomUuid())),
    subjectId: id,
    detail: `${name}: ${reason}`,
  });
  const sentence = `The export was stopped: ${reason}. Save it again to resume it.`;
  await notifyOfExport(tx, schedule, { sentence, at, origin, key: `stopped ${at.toISOString()}` });
}
