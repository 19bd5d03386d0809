/** Reconciliation's encrypted columns. */
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { now } from '#platform/clock.ts';
import type { SealedColumn } from '#platform/database/sealed-column.ts';
import type { Actor } from '#platform/subgraph/audit-record.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { ADMIN_KEY_SEAL } from '../config.ts';
import { BillConnectionTable } from './bill-connection.table.ts';

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    one: 'admin key of a provider',
    many: 'admin keys of providers',
    table: 'bill_connection',
    column: 'sealed_key',
    purpose: ADMIN_KEY_SEAL,
    boundTo: 'id',
    discard: forgetKeys,
  },
];

/** Keeps the connections. Until a key is saved again, their bills can only be imported. */
async function forgetKeys(tx: WriteTransaction, ids: readonly string[], by: Actor): Promise<void> {
  for (const { organizationId, id } of await tx.em.find(BillConnectionTable, { id: { $in: [...ids] } })) {
    const lost = { sealedKey: null, dueAt: null, lastError: 'its key was lost', failures: 1 };
    await tx.em.nativeUpdate(BillConnectionTable, { organizationId, id }, lost);
    await recordAudit(tx, {
      organizationId,
      at: now(),
      action: 'bill_connection.failed',
      ...by,
      subjectId: id,
      detail: 'its key was lost',
    });
  }
}
