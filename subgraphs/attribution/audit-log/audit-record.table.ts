/** The audit log: who registered, renamed and retired dimensions. */
import { auditTable, type Happening, insertAuditRecord } from '../../../platform/subgraph/audit-record.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';

export const AuditRecordTable = auditTable('attribution');

type Act = 'dimension.registered' | 'dimension.renamed' | 'dimension.retired';

/** In the transaction of the act: both happen or neither. */
export const recordAct: (em: EntityManager, happening: Happening<Act>) => Promise<void> = insertAuditRecord;
