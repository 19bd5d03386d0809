/** Deliveries of scheduled exports, newest period first. */
import { type Connection, parsePage, toConnection } from '#kernel/page-cursor.ts';
import { isUuid } from '#kernel/uuid.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { ExportDelivery, QueryExportDeliveriesArgs } from '../resolvers.generated.ts';
import { listExportDeliveryRows } from './export-delivery.table.ts';
import { toExportDeliveryView } from './export-schedule-view.ts';

const PAGE_MAX = 100;

/** Deliveries of one schedule, or of all schedules. An invalid id has no deliveries. */
export async function listExportDeliveries(
  context: SubgraphContext,
  { scheduleId = null, first = 50, after }: QueryExportDeliveriesArgs,
): Promise<Connection<ExportDelivery>> {
  const organizationId = organizationOf(context);
  const page = parsePage({ first, after }, PAGE_MAX);
  if (scheduleId !== null && !isUuid(scheduleId)) return toConnection([], 0, page);
  return context.database.entitySnapshot(organizationId, async (tx) => {
    const where = { organizationId, ...(scheduleId !== null && { scheduleId }) };
    const { deliveries, count } = await listExportDeliveryRows(tx, where, page);
    return toConnection(deliveries.map(toExportDeliveryView), count, page);
  });
}
