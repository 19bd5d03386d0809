/** The organization's scheduled exports. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { ExportSchedule } from '../resolvers.generated.ts';
import { listExportScheduleRows } from './export-schedule.table.ts';
import { toExportScheduleView } from './export-schedule-view.ts';

export async function listExportSchedules(context: SubgraphContext): Promise<ExportSchedule[]> {
  const organizationId = organizationOf(context);
  const rows = await context.database.entitySnapshot(organizationId, (tx) =>
    listExportScheduleRows(tx, organizationId),
  );
  return rows.map(toExportScheduleView);
}
