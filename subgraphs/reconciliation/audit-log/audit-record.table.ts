/** Audit log: who imported bills, changed connections and decided about differences. */
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type AuditEvent, auditTable, insertAuditRecord } from '#platform/subgraph/audit-record.ts';

export const AuditRecordTable = auditTable('reconciliation');

type AuditAction =
  | 'bill_connection.created'
  | 'bill_connection.changed'
  | 'bill_connection.deleted'
  | 'bill_connection.failed'
  | 'bill.imported'
  | 'bill_fix.applied'
  | 'bill_fix.reverted';

/** Call it in the transaction of the action: both happen or neither. */
export const recordAudit: (tx: WriteTransaction, event: AuditEvent<AuditAction>) => Promise<void> = insertAuditRecord;
