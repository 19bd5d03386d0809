/** Code shared by closing and reopening months of costs. */
import { liftTimeLimit } from '#platform/database/sql.ts';
import type { Closing } from '#platform/subgraph/move-closing.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { lockRates } from '../rates/rate-generation.table.ts';
import { findClosedUntil, saveClosedUntil } from './cost-closing.table.ts';

export const COST_CLOSING: Closing = {
  async hold(tx) {
    await liftTimeLimit(tx);
    await lockRates(tx);
  },
  find: findClosedUntil,
  save: saveClosedUntil,
  record: recordAudit,
};
