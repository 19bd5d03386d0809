/** Creates a role that reads one organization's report views. The statements are safe to repeat. */
import type { OrganizationId } from '#kernel/ids.ts';
import pg from 'pg';
import { StartError } from '../../start-error.ts';
import type { ConnectionTarget } from '../connections/connection-target.ts';
import type { Database } from '../open-database.ts';
import { withClient } from '../prepare-database.ts';
import { jobsRole, servingRole } from '../roles.ts';
import { READERS, sqlRole, viewOwner } from './sql-roles.ts';
import { replaceViews } from './report-views.ts';

export interface SqlReader {
  readonly organizationId: OrganizationId;
  /** The password's verifier, from `scramVerifier`. */
  readonly verifier: string;
}

/** A subgraph's database, with or without views. */
export type ReportDatabase = Pick<Database, 'name' | 'reportViews'> & {
  readonly target: ConnectionTarget;
  /** Other databases on a server that belongs to us. */
  readonly maintenanceDatabases?: readonly string[];
};

const CONNECTIONS_MAX = 5;

/**
 * Functions that any role may call by default although they write or lock: with our advisory locks, a client could stop
 * the service. `lo_import` and `lo_export` access the server's files, and only superusers may call them.
 */
const GUARDED_FUNCTIONS = '^(pg_(try_)?advisory_|lo_(?!import|export)|lowrite$|pg_logical_emit_message$)';

/** Defaults of a session, which the client may change. */
const SETTINGS = {
  default_transaction_read_only: 'on',
  statement_timeout: '60s',
  search_path: 'report',
};
/** Only a superuser may set this limit, and the client cannot change it. */
const TEMPORARY_FILES_MAX = '1GB';

/** The statements to be run by an administrator, or by an account that may create roles and owns the database. */
export function sqlAccessStatements(
  { name, target, reportViews, maintenanceDatabases = [] }: ReportDatabase,
  { organizationId, verifier }: SqlReader,
): string[] {
  const [database, account] = [pg.escapeIdentifier(target.dbName), pg.escapeIdentifier(target.user)];
  const [owner, role] = [pg.escapeIdentifier(viewOwner(name)), pg.escapeIdentifier(sqlRole(organizationId))];
  const [serving, jobs] = [pg.escapeIdentifier(servingRole(name)), pg.escapeIdentifier(jobsRole(name))];
  const closing = [
    `grant connect, temporary on database ${database} to ${account}`,
    ...[target.dbName, ...maintenanceDatabases].map(
      (each) => `revoke connect, temporary on database ${pg.escapeIdentifier(each)} from public`,
    ),
  ];
  if (reportViews.length === 0) return closing;
  return [
    ...closing,
    createRole(READERS),
    createRole(viewOwner(name)),
    grantRole(viewOwner(name), target.user),
    createRole(sqlRole(organizationId)),
    `alter role ${role} login connection limit ${CONNECTIONS_MAX} password '${verifier}'`,
    ...Object.entries(SETTINGS).map(([setting, value]) => `alter role ${role} set ${setting} = '${value}'`),
    `do $$ begin alter role ${role} set temp_file_limit = '${TEMPORARY_FILES_MAX}'; exception when insufficient_privilege then null; end $$`,
    grantRole(READERS, sqlRole(organizationId)),
    // Only a member of a role may end its sessions.
    grantRole(sqlRole(organizationId), target.user),
    grantRole(sqlRole(organizationId), jobsRole(name)),
    `grant connect on database ${database} to ${READERS}`,
    `grant usage, create on schema public to ${account}`,
    'revoke all on schema public from public',
    `do $$ declare guarded regprocedure; begin
  for guarded in select oid from pg_proc where pronamespace = 'pg_catalog'::regnamespace and proname ~ '${GUARDED_FUNCTIONS}' loop
    execute format('grant execute on function %s to %s', guarded, ${pg.escapeLiteral(`${account}, ${serving}, ${jobs}`)});
    execute format('revoke execute on function %s from public', guarded);
  end loop; end $$`,
    `create schema if not exists report authorization ${owner}`,
    `set local role ${owner}`,
    'create table if not exists report.reader (role_name name primary key, organization_id uuid not null unique)',
    `insert into report.reader values ('${sqlRole(organizationId)}', '${organizationId}') on conflict do nothing`,
    'reset role',
    ...replaceViews({ name, reportViews }),
  ];
}

function createRole(role: string): string {
  return `do $$ begin create role ${pg.escapeIdentifier(role)}; exception when duplicate_object or unique_violation then null; end $$`;
}

/** Repeating a grant would conflict with one at the same time. */
function grantRole(role: string, member: string): string {
  const [granted, receiving] = [pg.escapeLiteral(role), pg.escapeLiteral(member)];
  return `do $$ begin
  if not (pg_has_role(${receiving}, ${granted}, 'usage') and pg_has_role(${receiving}, ${granted}, 'set')) then
    grant ${pg.escapeIdentifier(role)} to ${pg.escapeIdentifier(member)}; end if; end $$`;
}

/** Throws a {@link StartError} if the account lacks the rights: an administrator can run the statements instead. */
export async function createSqlAccess(database: ReportDatabase, reader: SqlReader): Promise<void> {
  const { name, target } = database;
  return withClient(target, async (client) => {
    const {
      rows: [rights],
    } = await client.query<{ createsRoles: boolean; owns: boolean; onNodes: boolean; schemaOwner: string | null }>(
      RIGHTS,
    );
    if (rights?.onNodes)
      throw new StartError(`Database ${name} is distributed over several nodes, which SQL access does not support`);
    if (!rights?.createsRoles || !rights.owns)
      throw new StartError(
        `The account ${target.user} may not ${rights?.createsRoles ? `change the rights of database ${target.dbName}` : 'create roles'}. Run this command with --print-sql and let an administrator of PostgreSQL run its output with psql.`,
      );
    if (rights.schemaOwner !== null && rights.schemaOwner !== viewOwner(name))
      throw new StartError(
        `Database ${target.dbName} has a schema "report" of ${rights.schemaOwner}. SQL access needs this name: rename that schema`,
      );
    await client.query(['begin', ...sqlAccessStatements(database, reader), 'commit'].join(';\n'));
  });
}

/** Things that the role can still do on this server, because only a superuser or another database's owner can forbid them. */
export function listGaps({ target }: ReportDatabase, organizationId: OrganizationId): Promise<string[]> {
  return withClient(target, async (client) => {
    const { rows } = await client.query<{ gap: string }>(GAPS, [sqlRole(organizationId), target.dbName]);
    return rows.map(({ gap }) => gap);
  });
}

const RIGHTS = `
  select rolsuper or rolcreaterole as "createsRoles",
    pg_has_role(current_user, (select datdba from pg_database where datname = current_database()), 'usage') as "owns",
    exists (select from pg_extension where extname = 'citus') as "onNodes",
    (select pg_get_userbyid(nspowner)::text from pg_namespace where nspname = 'report') as "schemaOwner"
  from pg_roles where rolname = current_user`;

const GAPS = `
  select 'call ' || string_agg(distinct proname, ', ' order by proname) || ' in database ' || $2 as gap from pg_proc
  where pronamespace = 'pg_catalog'::regnamespace and proname ~ '${GUARDED_FUNCTIONS}' and has_function_privilege($1::text, oid, 'execute')
  having count(*) > 0
  union all select 'create tables in schema public of database ' || $2 where has_schema_privilege($1::text, 'public', 'create')
  union all select 'write temporary files of any size' where not exists (
    select from pg_roles where rolname = $1 and rolconfig::text like '%temp_file_limit%')
  union all select 'connect to database ' || datname from pg_database where datallowconn and has_database_privilege('public', oid, 'connect')`;
