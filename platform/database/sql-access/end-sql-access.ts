/** Ends an organization's SQL access: its role sees nothing from now on, is disconnected and removed. */
import type { OrganizationId } from '#kernel/ids.ts';
import pg from 'pg';
import { withClient } from '../prepare-database.ts';
import type { ReportDatabase } from './create-sql-access.ts';
import { hasSqlAccess, TERMINATION_MILLISECONDS } from './report-views.ts';
import { sqlRole } from './sql-roles.ts';

/** Without its row in `report.reader`, a role that remains reads nothing. */
const TOLERATED: Readonly<Record<string, string>> = {
  '42501': 'an administrator created the role',
  '2BP01': 'objects in another database belong to the role',
  '42704': "another database's deletion has just dropped the role",
};

/** Returns false if the organization had no access to this database. */
export async function endSqlAccess(
  { name, target }: Pick<ReportDatabase, 'name' | 'target'>,
  organizationId: OrganizationId,
): Promise<boolean> {
  return withClient(target, async (client) => {
    const {
      rows: [state],
    } = await client.query<{ exists: boolean }>(`select ${hasSqlAccess(name)} as exists`);
    if (!state?.exists) return false;
    const { rowCount } = await client.query('delete from report.reader where organization_id = $1', [organizationId]);
    await removeRole(client, sqlRole(organizationId));
    return rowCount === 1;
  });
}

/** Each statement is a transaction of its own: a role that cannot be dropped is disconnected nevertheless. */
async function removeRole(client: pg.Client, role: string): Promise<void> {
  const identifier = pg.escapeIdentifier(role);
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role]);
  if (!rowCount) return;
  for (const text of [
    `alter role ${identifier} nologin`,
    `select pg_terminate_backend(pid, ${TERMINATION_MILLISECONDS}) from pg_stat_activity where usename = ${pg.escapeLiteral(role)}`,
    // Any role may change its own default privileges, which would keep it from being dropped.
    `drop owned by ${identifier}`,
    `drop role if exists ${identifier}`,
  ])
    await client.query(text).catch((error: unknown) => {
      if (!Object.hasOwn(TOLERATED, (error as { code?: string }).code ?? '')) throw error;
    });
}

/** Instructions for an administrator if the organization's role still exists on this server; null if it does not. */
export async function describeRemainingRole(
  { target }: Pick<ReportDatabase, 'target'>,
  organizationId: OrganizationId,
): Promise<string | null> {
  const role = sqlRole(organizationId);
  const {
    rows: [found],
  } = await withClient(target, (client) =>
    client.query<{ canLogIn: boolean }>('select rolcanlogin as "canLogIn" from pg_roles where rolname = $1', [role]),
  );
  if (found === undefined) return null;
  return found.canLogIn
    ? `Role ${role} can no longer read any rows. An administrator of PostgreSQL created it and must drop it: drop role ${role}`
    : `Role ${role} can no longer log in. Objects in another database belong to it. An administrator of PostgreSQL must run there: drop owned by ${role}; drop role ${role}`;
}
