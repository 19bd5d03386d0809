/** Deliveries as the API returns them, with their attempts. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { AlertDelivery } from '../resolvers.generated.ts';
import { listChannels } from '../channels/alert-channel.table.ts';
import { toAlertChannelView } from '../channels/alert-channel-view.ts';
import { listAttempts } from './alert-attempt.table.ts';
import type { AlertDeliveryRow } from './alert-delivery.table.ts';

/** `hasMail`: true if the operator has configured a mail server. */
export async function viewDeliveries(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  deliveries: readonly AlertDeliveryRow[],
  hasMail: boolean,
): Promise<AlertDelivery[]> {
  const ids = deliveries.map(({ id }) => id);
  const attempts = Map.groupBy(await listAttempts(tx, organizationId, ids), ({ deliveryId }) => deliveryId);
  const channels = new Map((await listChannels(tx, organizationId)).map((channel) => [channel.id, channel]));
  return deliveries.map((delivery) => {
    const channel = channels.get(delivery.channelId);
    return {
      id: delivery.id,
      channelId: delivery.channelId,
      channel: channel === undefined ? null : toAlertChannelView(channel, hasMail),
      episodeId: delivery.episodeId,
      eventType: delivery.eventType,
      state: delivery.doneAt !== null ? 'DELIVERED' : delivery.gaveUpAt !== null ? 'GAVE_UP' : 'PENDING',
      createdAt: delivery.createdAt.toISOString(),
      dueAt: delivery.dueAt?.toISOString() ?? null,
      deliveredAt: delivery.doneAt?.toISOString() ?? null,
      gaveUpAt: delivery.gaveUpAt?.toISOString() ?? null,
      error: delivery.lastError,
      body: delivery.body,
      attempts: (attempts.get(delivery.id) ?? []).map(
        ({ attempt, at, durationMilliseconds, statusCode, error, answer }) => ({
          attempt,
          at: at.toISOString(),
          durationMilliseconds,
          statusCode,
          error,
          answer,
        }),
      ),
    };
  });
}
