/**
 * Row-level security of rate tables: an organization reads its own and standard rows; only operators and jobs write.
 */
import type { PolicyDef } from '@mikro-orm/core';
import { jobsRole, servingRole } from '#platform/database/roles.ts';
import { GLOBAL_TENANT } from '../config.ts';

const OWN_OR_STANDARD = `organization_id in ('${GLOBAL_TENANT}'::uuid, (nullif(current_setting('app.organization_id', true), ''))::uuid)`;

/** Row-level security of a rate table, to be spread into `defineEntity` instead of `tenantTable()`. */
export function rateTable(): { rowLevelSecurity: 'force'; policies: PolicyDef[] } {
  return {
    rowLevelSecurity: 'force',
    policies: [
      { name: 'organization', command: 'select', roles: [servingRole('costing')], using: OWN_OR_STANDARD },
      { name: 'jobs', roles: [jobsRole('costing')], using: 'true', check: 'true' },
    ],
  };
}

/**
 * Prefix for inserts from arrays: `from ${rateRows} unnest(…)`. The row of `rate_generation` exists, because a rate
 * change marks it first. On several nodes, an insert that selects from arrays only would be refused.
 */
export const rateRows = '(select 1 from rate_generation limit 1) as marked cross join';
