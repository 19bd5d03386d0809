/** The encrypted column of exports. */
import { now } from '#platform/clock.ts';
import type { SealedColumn } from '#platform/database/sealed-column.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { Actor } from '#platform/subgraph/audit-record.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { EXPORT_SEAL } from '../config.ts';
import { parkExports } from './export-queue.step.ts';
import { ExportScheduleTable } from './export-schedule.table.ts';

export const EXPORT_SECRET: SealedColumn = {
  one: 'secret access key of a scheduled export',
  many: 'secret access keys of scheduled exports',
  table: 'export_schedule',
  column: 'sealed_secret',
  purpose: EXPORT_SEAL,
  boundTo: 'id',
  discard: stop,
};

const LOST = 'its secret access key was lost';

/** Keeps the schedules, but stops them until a key is saved again. */
async function stop(tx: WriteTransaction, ids: readonly string[], by: Actor): Promise<void> {
  for (const { organizationId, id, name } of await tx.em.find(ExportScheduleTable, { id: { $in: [...ids] } })) {
    const stopped = { sealedSecret: null, dueAt: null, stoppedReason: LOST };
    await tx.em.nativeUpdate(ExportScheduleTable, { organizationId, id }, stopped);
    await parkExports(tx, organizationId, id);
    await recordAudit(tx, {
      organizationId,
      at: now(),
      action: 'export_schedule.stopped',
      ...by,
      subjectId: id,
      detail: `${name}: ${LOST}`,
    });
  }
}
