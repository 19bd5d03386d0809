/**
 * Deletes a channel and removes it from the rules that use it. Its pending deliveries are abandoned; the delivery log
 * stays.
 */
import { now } from '#platform/clock.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import type { AlertChannel } from '../resolvers.generated.ts';
import { deleteChannel } from './alert-channel.table.ts';
import { toAlertChannelView } from './alert-channel-view.ts';
import { requireChannel } from './require-channel.step.ts';

/** Returns the channel as it was. Fails with `NOT_FOUND`. */
export async function deleteAlertChannel(
  context: SubgraphContext,
  id: string,
  hasMail: boolean,
): Promise<AlertChannel> {
  const organizationId = organizationOf(context);
  return context.database.write(organizationId, async (tx) => {
    const channel = await requireChannel(tx, organizationId, id);
    await deleteChannel(tx, organizationId, id);
    await recordAudit(tx, {
      organizationId,
      at: now(),
      action: 'alert_channel.deleted',
      ...actorOf(context.principal),
      subjectId: id,
      detail: channel.name,
    });
    return toAlertChannelView(channel, hasMail);
  });
}
