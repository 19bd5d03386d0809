/** The channels of the caller's organization. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { AlertChannel } from '../resolvers.generated.ts';
import { listChannels } from './alert-channel.table.ts';
import { toAlertChannelView } from './alert-channel-view.ts';

export async function listAlertChannels(context: SubgraphContext, hasMail: boolean): Promise<AlertChannel[]> {
  const organizationId = organizationOf(context);
  const channels = await context.database.entitySnapshot(organizationId, (tx) => listChannels(tx, organizationId));
  return channels.map((channel) => toAlertChannelView(channel, hasMail));
}
