/** Month closing of revenue. */
import type { Closing } from '#platform/subgraph/move-closing.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { findClosedUntil, holdClosing, saveClosedUntil } from './revenue-closing.table.ts';

export const REVENUE_CLOSING: Closing = {
  hold: (tx, organizationId) => holdClosing(tx, organizationId, 'move'),
  find: findClosedUntil,
  save: saveClosedUntil,
  record: recordAudit,
};
