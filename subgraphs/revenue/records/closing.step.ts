/** Month closing of revenue. */
import { now } from '#platform/clock.ts';
import type { Closing } from '#platform/subgraph/move-closing.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { saveClosedRates } from '../currencies/closed-rates.table.ts';
import { findClosedUntil, holdClosing, saveClosedUntil } from './revenue-closing.table.ts';

export const REVENUE_CLOSING: Closing = {
  hold: (tx, organizationId) => holdClosing(tx, organizationId, 'move'),
  find: findClosedUntil,
  save: async (tx, organizationId, until) => {
    await saveClosedUntil(tx, organizationId, until);
    await saveClosedRates(tx, organizationId, until, now());
  },
  record: recordAudit,
};
