/** The delivery log, newest first. */
import { type Connection, parsePage, toConnection } from '#kernel/page-cursor.ts';
import { isUuid } from '#kernel/uuid.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { AlertDelivery, QueryAlertDeliveriesArgs } from '../resolvers.generated.ts';
import { listDeliveries } from './alert-delivery.table.ts';
import { viewDeliveries } from './delivery-view.step.ts';

const PAGE_MAX = 100;

/** Deliveries of one channel, one episode, or all. An invalid id has no deliveries. */
export async function listAlertDeliveries(
  context: SubgraphContext,
  { channelId = null, episodeId = null, first = 50, after }: QueryAlertDeliveriesArgs,
  hasMail: boolean,
): Promise<Connection<AlertDelivery>> {
  const organizationId = organizationOf(context);
  const page = parsePage({ first, after }, PAGE_MAX);
  if ([channelId, episodeId].some((id) => id !== null && !isUuid(id))) return toConnection([], 0, page);
  return context.database.entitySnapshot(organizationId, async (tx) => {
    const { deliveries, count } = await listDeliveries(tx, organizationId, { channelId, episodeId }, page);
    return toConnection(await viewDeliveries(tx, organizationId, deliveries, hasMail), count, page);
  });
}
