/** The audit log of revenue. */
import { auditTable, type AuditEvent, insertAuditRecord } from '#platform/subgraph/audit-record.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';

export const AuditRecordTable = auditTable('revenue');

type AuditAction =
  | 'connection.created'
  | 'connection.disconnected'
  | 'connection.replaced'
  | 'currency.set'
  | 'customer.linked'
  | 'customer.unlinked'
  | 'end_user.erased'
  | 'fx_rates.imported'
  | 'month.closed'
  | 'month.reopened'
  | 'sample_data.filled'
  | 'sync.requested';

/** Runs in the transaction of the action, so both happen or neither. */
export const recordAudit: (tx: WriteTransaction, event: AuditEvent<AuditAction>) => Promise<void> = insertAuditRecord;
