/** Encrypted columns of revenue. */
import type { Actor } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SealedColumn } from '#platform/database/sealed-column.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { CONNECTION_SEAL } from '../config.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { PaymentConnectionTable } from './payment-connection.table.ts';
import { forgetCursors } from '../sync/runs/sync-cursor.table.ts';
import { abandonRuns } from '../sync/runs/sync-run.table.ts';

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    one: 'payment connection',
    many: 'payment connections',
    table: 'payment_connection',
    column: 'sealed_key',
    purpose: CONNECTION_SEAL,
    boundTo: 'id',
    discard: disconnect,
  },
];

/** Keeps records and links, as disconnecting by an owner does. */
async function disconnect(tx: WriteTransaction, ids: readonly string[], by: Actor): Promise<void> {
  const at = now();
  for (const { organizationId, id } of await tx.em.find(PaymentConnectionTable, { id: { $in: [...ids] } })) {
    await tx.em.nativeUpdate(
      PaymentConnectionTable,
      { organizationId },
      { sealedKey: null, status: 'disconnected', disconnectedAt: at, leaseOwner: null, leaseUntil: null },
    );
    await abandonRuns(tx, organizationId, at);
    await forgetCursors(tx, organizationId);
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'connection.disconnected',
      ...by,
      subjectId: id,
      detail: 'its key was lost',
    });
  }
}
