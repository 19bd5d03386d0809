/** Deletes a scheduled export with its secret and the records of its deliveries. The files in the bucket stay. */
import { now } from '#platform/clock.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import type { ExportSchedule } from '../resolvers.generated.ts';
import { deleteExportDeliveries } from './export-delivery.table.ts';
import { deleteExportScheduleRow } from './export-schedule.table.ts';
import { toExportScheduleView } from './export-schedule-view.ts';
import { requireSchedule } from './require-schedule.step.ts';

/** Returns the schedule as it was. Fails with `NOT_FOUND`. */
export async function deleteExportSchedule(context: SubgraphContext, id: string): Promise<ExportSchedule> {
  const organizationId = organizationOf(context);
  return context.database.write(organizationId, async (tx) => {
    const schedule = await requireSchedule(tx, organizationId, id);
    await deleteExportScheduleRow(tx, organizationId, id);
    await deleteExportDeliveries(tx, organizationId, id);
    await recordAudit(tx, {
      organizationId,
      at: now(),
      action: 'export_schedule.deleted',
      ...actorOf(context.principal),
      subjectId: id,
      detail: schedule.name,
    });
    return toExportScheduleView(schedule);
  });
}
