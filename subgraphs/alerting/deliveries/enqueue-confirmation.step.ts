/**
 * Asks the holder of an e-mail address for consent, because the address may belong to someone else. The link is the
 * only way to confirm it.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { sql } from 'kysely';
import { announceAfterCommit } from '#platform/database/announce.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import { DAY_MS, HOUR_MS } from '#kernel/time/duration.ts';
import { fail } from '#kernel/errors.ts';
import type { AlertChannelRow } from '../channels/alert-channel.table.ts';
import { CONFIRMATIONS_PER_ADDRESS_MAX, CONFIRMATIONS_PER_HOUR_MAX } from '../config.ts';
import { addDelivery, DELIVERY_CHANNEL } from './alert-delivery.table.ts';
import { giveUpChannel } from './delivery-queue.step.ts';
import { CONFIRMATION, type ConfirmationPayload } from './alert-payload.ts';

const COUNT_CONFIRMATIONS = statement(
  (input: Parameters<{ organizationId: OrganizationId; address: string; hourAgo: Date; dayAgo: Date }>) => sql<{
    ofOrganization: number;
    ofAddress: number;
  }>`select count(*) filter (where created_at >= ${input.hourAgo})::int as of_organization,
       count(*) filter (where lower(body::json #>> '{data,address}') = lower(${input.address}))::int as of_address
     from alert_delivery where organization_id = ${input.organizationId}
       and created_at >= ${input.dayAgo} and event_type = ${sql.lit(CONFIRMATION)}`,
);

/**
 * Enqueues one mail to the channel's address and abandons everything else pending for the channel. The organization's
 * channels must be locked. Fails with `VALIDATION_ERROR` if too many confirmations were sent.
 */
export async function enqueueConfirmation(
  tx: WriteTransaction,
  { organizationId, id: channelId, target: address }: AlertChannelRow,
  at: Date,
): Promise<void> {
  const [hourAgo, dayAgo] = [new Date(at.getTime() - HOUR_MS), new Date(at.getTime() - DAY_MS)];
  const sent = await tx.one(COUNT_CONFIRMATIONS, { organizationId, address, hourAgo, dayAgo });
  if (sent.ofOrganization >= CONFIRMATIONS_PER_HOUR_MAX)
    fail(
      'VALIDATION_ERROR',
      `At most ${CONFIRMATIONS_PER_HOUR_MAX} confirmation e-mails are sent per hour: try again later`,
    );
  if (sent.ofAddress >= CONFIRMATIONS_PER_ADDRESS_MAX)
    fail(
      'VALIDATION_ERROR',
      `At most ${CONFIRMATIONS_PER_ADDRESS_MAX} confirmation e-mails are sent to one address per day: try again tomorrow`,
    );
  await giveUpChannel(tx, organizationId, channelId, at, 'The address was not confirmed');
  const payload: ConfirmationPayload = { type: CONFIRMATION, timestamp: at.toISOString(), data: { address } };
  await addDelivery(tx, {
    organizationId,
    id: uuidsV7(1)[0]!,
    channelId,
    episodeId: null,
    eventType: payload.type,
    body: JSON.stringify(payload),
    createdAt: at,
    lastError: null,
  });
  announceAfterCommit(tx, DELIVERY_CHANNEL);
}
