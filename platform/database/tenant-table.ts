/** Makes a table a tenant table: row-level security, forced for the owner too. */
import type { PolicyDef } from '@mikro-orm/core';
import { jobsRole, servingRole } from './roles.ts';

const SAME_ORGANIZATION = "organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid";

/**
 * Spread into `defineEntity` of every table with an `organization_id`. Without `app.organization_id` no rows are
 * visible. The jobs role sees all organizations.
 */
export function tenantTable(name: string): { rowLevelSecurity: 'force'; policies: PolicyDef[] } {
  return {
    rowLevelSecurity: 'force',
    policies: [
      { name: 'organization', roles: [servingRole(name)], using: SAME_ORGANIZATION, check: SAME_ORGANIZATION },
      { name: 'jobs', roles: [jobsRole(name)], using: 'true', check: 'true' },
    ],
  };
}

/** SQL for every table with an `organization_id`, as `table_id` and `name`, including tables added later. */
export const TENANT_TABLES = `(
  select c.oid as table_id, c.relname as name
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition) as tenant_table`;
