/** Closes holds that have expired without an event, and deletes old holds and old periods of allowances. */
import type { Database } from '#platform/database/open-database.ts';
import { type Job, UPKEEP_SHARE } from '#platform/job-loop.ts';
import { findOrganizationsWithOldPeriods, prunePeriods, releasePeriods } from '../allowances/allowance-period.table.ts';
import { ALLOWANCE_KEPT_DAYS, HOLD_KEPT_HOURS, HOLD_REST_SECONDS, HOLD_ROWS_MAX } from '../config.ts';
import { closeExpired, findOrganizationsWithExpired, findOrganizationsWithOld, pruneHolds } from './hold.table.ts';

export function expireHoldsJob({ database }: { readonly database: Database }): Job {
  return {
    name: 'expire-holds',
    restMilliseconds: HOLD_REST_SECONDS * 1_000,
    share: UPKEEP_SHARE,
    async step() {
      const organizations = await database.system((tx) => findOrganizationsWithExpired(tx, HOLD_ROWS_MAX));
      for (const organizationId of organizations)
        await database.system(async (tx) => {
          const { changes } = await closeExpired(tx, organizationId, HOLD_ROWS_MAX);
          await releasePeriods(tx, organizationId, changes);
        });
      const old = await database.system((tx) => findOrganizationsWithOld(tx, HOLD_KEPT_HOURS, HOLD_ROWS_MAX));
      for (const organizationId of old)
        await database.system((tx) => pruneHolds(tx, organizationId, HOLD_KEPT_HOURS, HOLD_ROWS_MAX));
      const past = await database.system((tx) =>
        findOrganizationsWithOldPeriods(tx, ALLOWANCE_KEPT_DAYS, HOLD_ROWS_MAX),
      );
      for (const organizationId of past)
        await database.system((tx) => prunePeriods(tx, organizationId, ALLOWANCE_KEPT_DAYS, HOLD_ROWS_MAX));
      return organizations.length + old.length + past.length > 0 ? 'more' : 'idle';
    },
  };
}
