/** Writes a table of a period again, for example after corrections or an erasure. */
import { isUuid } from '#kernel/uuid.ts';
import { now } from '#platform/clock.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import type { ExportDelivery } from '../resolvers.generated.ts';
import { findExportDelivery } from './export-delivery.table.ts';
import { repeatExport } from './export-queue.step.ts';
import { toExportDeliveryView } from './export-schedule-view.ts';
import { requireSchedule } from './require-schedule.step.ts';

/** Fails with `NOT_FOUND`, and with `VALIDATION_ERROR` for a stopped schedule. */
export async function repeatExportDelivery(context: SubgraphContext, id: string): Promise<ExportDelivery> {
  const organizationId = organizationOf(context);
  return context.database.write(organizationId, async (tx) => {
    const found = isUuid(id) ? await findExportDelivery(tx, organizationId, id) : null;
    if (found === null) return fail('NOT_FOUND', 'id: delivery not found');
    const { name, stoppedReason, tables } = await requireSchedule(tx, organizationId, found.scheduleId);
    if (stoppedReason !== null) fail('VALIDATION_ERROR', 'id: the scheduled export is stopped. Save it to resume it');
    if (!tables.includes(found.reportTable))
      fail('VALIDATION_ERROR', `id: the scheduled export no longer writes ${found.reportTable}`);
    const at = now();
    await repeatExport(tx, { organizationId, id, at });
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'export_delivery.repeated',
      ...actorOf(context.principal),
      subjectId: found.scheduleId,
      detail: `${name}: ${found.reportTable} for ${found.period}`,
    });
    return toExportDeliveryView({ ...found, dueAt: at, attempts: 0 });
  });
}
