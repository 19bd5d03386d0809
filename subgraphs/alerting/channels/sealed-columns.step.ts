/** Columns of alerting that are encrypted. */
import type { Actor } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SealedColumn } from '#platform/database/sealed-column.ts';
import type { EntityManager } from '#platform/database/open-database.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { CHANNEL_SEAL } from '../config.ts';
import { AlertChannelTable, disableChannel } from './alert-channel.table.ts';

const CHANNEL_SECRET = { table: 'alert_channel', purpose: CHANNEL_SEAL, boundTo: 'id' } as const;

/** Both columns have the same purpose, so that a rotation can move the sealed value unchanged. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
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
    discard: (em, ids) => forgetPrevious(em, ids),
  },
];

/** The channels stay, disabled, until the secret is rotated or the address is saved again. */
async function disable(em: EntityManager, ids: readonly string[], by: Actor): Promise<void> {
  const at = now();
  for (const { organizationId, id } of await em.find(AlertChannelTable, { id: { $in: [...ids] } })) {
    await em.nativeUpdate(AlertChannelTable, { organizationId, id }, { sealedSecret: null });
    await disableChannel(em, organizationId, id, at, 'its secret was lost');
    await recordAudit(em, {
      organizationId,
      at,
      action: 'alert_channel.disabled',
      ...by,
      subjectId: id,
      detail: 'its secret was lost',
    });
  }
}

async function forgetPrevious(em: EntityManager, ids: readonly string[]): Promise<void> {
  const previous = { sealedPreviousSecret: null, previousUntil: null };
  await em.nativeUpdate(AlertChannelTable, { id: { $in: [...ids] } }, previous);
}
