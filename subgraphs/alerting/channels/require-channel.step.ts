/** Finds the channels that a caller names. */
import type { OrganizationId } from '#kernel/ids.ts';
import { isUuid } from '#kernel/uuid.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { fail } from '#kernel/errors.ts';
import { type AlertChannelRow, countChannels, findUnknownChannels, listChannels } from './alert-channel.table.ts';

/** Locks it: nobody else can change it until the transaction ends. Fails with `NOT_FOUND`. */
export async function requireChannel(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<AlertChannelRow> {
  await countChannels(tx, organizationId);
  const channel = (await listChannels(tx, organizationId)).find((one) => one.id === id);
  return channel ?? fail('NOT_FOUND', 'id: channel not found');
}

/** Fails with `NOT_FOUND` if one of these is not a channel of the organization. */
export async function requireChannels(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  ids: readonly string[],
): Promise<void> {
  const unknown = ids.find((id) => !isUuid(id)) ?? (await findUnknownChannels(tx, organizationId, ids))[0];
  if (unknown !== undefined) fail('NOT_FOUND', 'channelIds contains an unknown channel');
}
