/** Ends an organization's SQL access: its role sees nothing from now on, is disconnected and removed. */
import pg from 'pg';
import type { ConnectionTarget } from '../connections/connection-target.ts';
import { withClient } from '../prepare-database.ts';
import { HAS_SQL_ACCESS } from './report-views.ts';
import { sqlRole } from './sql-roles.ts';

const INSUFFICIENT_PRIVILEGE = '42501';

/** Returns false if the organization had no access to this database. */
export async function endSqlAccess(target: ConnectionTarget, organizationId: string): Promise<boolean> {
  return withClient(target, async (client) => {
    const {
      rows: [state],
    } = await client.query<{ exists: boolean }>(`select ${HAS_SQL_ACCESS} as exists`);
    if (!state?.exists) return false;
    const { rowCount } = await client.query('delete from report.reader where organization_id = $1', [organizationId]);
    await removeRole(client, sqlRole(organizationId)).catch((error: unknown) => {
      // An administrator created the role. Without the row above it reads nothing.
      if ((error as { code?: string }).code !== INSUFFICIENT_PRIVILEGE) throw error;
    });
    return rowCount === 1;
  });
}

async function removeRole(client: pg.Client, role: string): Promise<void> {
  await client.query(`do $$ begin
    if exists (select from pg_roles where rolname = ${pg.escapeLiteral(role)}) then alter role ${pg.escapeIdentifier(role)} nologin; end if; end $$`);
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [role]);
  await client.query(`drop role if exists ${pg.escapeIdentifier(role)}`);
}
