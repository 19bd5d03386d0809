/**
 * The audit log: who registered, renamed and retired dimensions, had facts compared with the ledger, and stopped or resumed long
 * operations.
 */
import { auditTable, type AuditEvent, insertAuditRecord } from '../../../platform/subgraph/audit-record.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';

export const AuditRecordTable = auditTable('attribution');

type AuditAction =
  | 'cost_pair.registered'
  | 'cost_pair.retired'
  | 'dimension.registered'
  | 'dimension.renamed'
  | 'dimension.retired'
  | 'facts.compared'
  | 'operation.cancelled'
  | 'operation.resumed';

/** In the transaction of the action: both happen or neither. */
export const recordAudit: (em: EntityManager, event: AuditEvent<AuditAction>) => Promise<void> = insertAuditRecord;
