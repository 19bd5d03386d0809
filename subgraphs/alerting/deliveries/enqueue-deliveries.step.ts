/** Adds deliveries to the outbox in the transaction that changes the episode: both happen or neither. */
import type { OrganizationId } from '#kernel/ids.ts';
import { announceAfterCommit } from '#platform/database/announce.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { uuidV5 } from '#kernel/uuid.ts';
import { listChannels } from '../channels/alert-channel.table.ts';
import { whyBlocked } from '../channels/alert-channel-view.ts';
import { addDelivery, DELIVERY_CHANNEL } from './alert-delivery.table.ts';
import { type AlertPayload, type AlertTransition, toAlertPayload } from './alert-payload.ts';

/**
 * Adds one delivery per channel of the transition. Its id is derived from episode, transition, level and channel, so a
 * transition evaluated repeatedly is delivered under one id. `origin`: base URL of the pages (`config.appUrl`).
 */
export async function enqueueDeliveries(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  transition: AlertTransition,
  origin: string,
): Promise<void> {
  const { episodeId, at, channelIds } = transition;
  const payload = toAlertPayload(organizationId, transition, origin);
  const idOf = (channelId: string) => deliveryId(transition, channelId);
  await enqueueMessage(tx, organizationId, { payload, episodeId, at, channelIds, idOf });
}

/** A message to several channels. */
interface Message {
  readonly payload: AlertPayload;
  readonly episodeId: string | null;
  readonly at: Date;
  readonly channelIds: readonly string[];
  /** Id of the delivery to a channel. A delivery that exists is not added again. */
  readonly idOf: (channelId: string) => string;
}

/** A disabled or unconfirmed channel gets an abandoned delivery, so that the log shows it. */
export async function enqueueMessage(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { payload, episodeId, at, channelIds, idOf }: Message,
): Promise<void> {
  if (channelIds.length === 0) return;
  for (const channel of await listChannels(tx, organizationId)) {
    if (!channelIds.includes(channel.id)) continue;
    await addDelivery(tx, {
      organizationId,
      id: idOf(channel.id),
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
