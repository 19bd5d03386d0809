/** Finds the channel that a caller wants to change. */
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { fail } from '#schema/errors.ts';
import { type AlertChannelRow, countChannels, listChannels } from './alert-channel.table.ts';

/** Locks it: nobody else can change it until the transaction ends. Fails with `NOT_FOUND`. */
export async function requireChannel(
  tx: WriteTransaction,
  organizationId: string,
  id: string,
): Promise<AlertChannelRow> {
  await countChannels(tx, organizationId);
  const channel = (await listChannels(tx, organizationId)).find((one) => one.id === id);
  return channel ?? fail('NOT_FOUND', 'id: channel not found');
}
