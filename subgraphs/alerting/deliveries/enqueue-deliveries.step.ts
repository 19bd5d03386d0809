/** Puts what is to be sent into the outbox, in the transaction that changes the episode: both happen or neither. */
import { announceAfterCommit } from '../../../platform/database/announce.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { uuidV5 } from '../../../kernel/uuid.ts';
import { listChannels } from '../channels/alert-channel.table.ts';
import { whyBlocked } from '../channels/alert-channel-view.ts';
import { addDelivery, DELIVERY_CHANNEL } from './alert-delivery.table.ts';
import { type AlertTransition, toAlertPayload } from './alert-payload.ts';

/**
 * One delivery for each channel of the transition. Its id follows from episode, transition, level and channel: however often a
 * transition is evaluated, it is delivered under one id. A channel that is switched off or unconfirmed gets one that was given up, so that the log shows
 * it. `origin`: where people's pages are (`config.appUrl`).
 */
export async function enqueueDeliveries(
  em: EntityManager,
  organizationId: string,
  transition: AlertTransition,
  origin: string,
): Promise<void> {
  if (transition.channelIds.length === 0) return;
  const payload = toAlertPayload(organizationId, transition, origin);
  const { episodeId, at } = transition;
  for (const channel of await listChannels(em, organizationId)) {
    if (!transition.channelIds.includes(channel.id)) continue;
    await addDelivery(em, {
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
  announceAfterCommit(em, DELIVERY_CHANNEL);
}

/** What the receiver tells deliveries apart by: an episode reaches each level once, and a forecast, which has none, passes its amount once. */
function deliveryId({ episodeId, transition, level }: AlertTransition, channelId: string): string {
  return uuidV5(episodeId, `${transition} ${level ?? ''} ${channelId}`);
}
