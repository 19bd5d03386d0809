/** The encrypted columns of channels. */
import type { Actor } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SealedColumn } from '#platform/database/sealed-column.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { CHANNEL_SEAL } from '../config.ts';
import { AlertChannelTable, disableChannel } from './alert-channel.table.ts';

const CHANNEL_SECRET = { table: 'alert_channel', purpose: CHANNEL_SEAL, boundTo: 'id' } as const;

/** Both columns have the same purpose, so that a rotation can move the sealed value unchanged. */
export const CHANNEL_SECRETS: readonly SealedColumn[] = [
  {
    ...CHANNEL_SECRET,
    one: 'secret of an alert channel',
    many: 'secrets of alert channels',
    column: 'sealed_secret',
    discard: disable,
  },
  {
    ...CHANNEL_SECRET,
    one: 'earlier secret of an alert channel',
    many: 'earlier secrets of alert channels',
    column: 'sealed_previous_secret',
    discard: (tx, ids) => forgetPrevious(tx, ids),
  },
];

/** Keeps the channels, but disables them until the secret is rotated or the address is saved again. */
async function disable(tx: WriteTransaction, ids: readonly string[], by: Actor): Promise<void> {
  const at = now();
  for (const { organizationId, id } of await tx.em.find(AlertChannelTable, { id: { $in: [...ids] } })) {
    await tx.em.nativeUpdate(AlertChannelTable, { organizationId, id }, { sealedSecret: null });
    await disableChannel(tx, organizationId, id, at, 'its secret was lost');
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'alert_channel.disabled',
      ...by,
      subjectId: id,
      detail: 'its secret was lost',
    });
  }
}

async function forgetPrevious(tx: WriteTransaction, ids: readonly string[]): Promise<void> {
  const previous = { sealedPreviousSecret: null, previousUntil: null };
  await tx.em.nativeUpdate(AlertChannelTable, { id: { $in: [...ids] } }, previous);
}
