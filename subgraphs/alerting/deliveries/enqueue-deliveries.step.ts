/** Adds deliveries to the outbox in the transaction that changes the episode: both happen or neither. */
import { announceAfterCommit } from '#platform/database/announce.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { uuidV5 } from '#kernel/uuid.ts';
import { listChannels } from '../channels/alert-channel.table.ts';
import { whyBlocked } from '../channels/alert-channel-view.ts';
import { addDelivery, DELIVERY_CHANNEL } from './alert-delivery.table.ts';
import { type AlertTransition, toAlertPayload } from './alert-payload.ts';

/**
 * Adds one delivery per channel of the transition. Its id is derived from episode, transition, level and channel, so a
 * transition evaluated repeatedly is delivered under one id. A disabled or unconfirmed channel gets an abandoned
 * delivery, so that the log shows it. `origin`: base URL of the pages (`config.appUrl`).
 */
export async function enqueueDeliveries(
  tx: WriteTransaction,
  organizationId: string,
  transition: AlertTransition,
  origin: string,
): Promise<void> {
  if (transition.channelIds.length === 0) return;
  const payload = toAlertPayload(organizationId, transition, origin);
  const { episodeId, at } = transition;
  for (const channel of await listChannels(tx, organizationId)) {
    if (!transition.channelIds.includes(channel.id)) continue;
    await addDelivery(tx, {
      organizationId,
      id: deliveryId(transition, channel.id),
      channelId: channel.id,
      episodeId,
      eventType: payload.type,
      body: JSON.stringify(payload),
      createdAt: at,
      lastError: whyBlocked(channel),
    });
  }
  announceAfterCommit(tx, DELIVERY_CHANNEL);
}

/**
 * Receivers distinguish deliveries by this id. An episode reaches each level once; its forecast has no level and
 * passes the amount once.
 */
function deliveryId({ episodeId, transition, level }: AlertTransition, channelId: string): string {
  return uuidV5(episodeId, `${transition} ${level ?? ''} ${channelId}`);
}
