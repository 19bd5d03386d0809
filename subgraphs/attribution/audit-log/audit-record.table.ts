/**
 * Audit log: records who registered, renamed and retired dimensions and cost pairs, compared facts with the ledger,
 * and cancelled or resumed long operations.
 */
import { auditTable, type AuditEvent, insertAuditRecord } from '#platform/subgraph/audit-record.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';

export const AuditRecordTable = auditTable('attribution');

type AuditAction =
  | 'cost_pair.registered'
  | 'cost_pair.retired'
  | 'dimension.registered'
  | 'dimension.renamed'
  | 'dimension.retired'
  | 'end_user.erased'
  | 'facts.compared'
  | 'operation.cancelled'
  | 'operation.resumed';

/** Runs in the action's transaction: both happen or neither. */
export const recordAudit: (tx: WriteTransaction, event: AuditEvent<AuditAction>) => Promise<void> = insertAuditRecord;
