/** The audit log: who did what to the connection, asked for a sync, and linked customers. */
import { auditTable, type Happening, insertAuditRecord } from '../../../platform/subgraph/audit-record.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';

export const AuditRecordTable = auditTable('revenue');

type Act =
  | 'connection.created' | 'connection.disconnected' | 'connection.replaced'
  | 'customer.linked' | 'customer.unlinked' | 'sync.requested';

/** In the transaction of the act: both happen or neither. */
export const recordAct: (em: EntityManager, happening: Happening<Act>) => Promise<void> = insertAuditRecord;
