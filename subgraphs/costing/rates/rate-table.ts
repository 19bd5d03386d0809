/** What makes a table of rates: an organization reads its own rows and everybody's; only operators and jobs write. */
import type { PolicyDef } from '@mikro-orm/core';
import { jobsRole, servingRole } from '../../../platform/database/roles.ts';
import { GLOBAL_TENANT } from '../config.ts';

const OWN_OR_STANDARD = `organization_id in ('${GLOBAL_TENANT}'::uuid, (nullif(current_setting('app.organization_id', true), ''))::uuid)`;

/** Spread into `defineEntity`, instead of `tenantTable`. */
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
 * What rows that arrive as arrays are selected from: `from ${rateRows} unnest(…)`. A transaction that changes rates has marked it there. On
 * several nodes an insert that selects from arrays alone would be refused.
 */
export const rateRows = '(select 1 from rate_generation limit 1) as marked cross join';
