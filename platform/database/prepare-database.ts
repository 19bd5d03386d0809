/** Creates a database and its roles before migrations. Safe to repeat and to run in several processes at once. */
import { setTimeout as pause } from 'node:timers/promises';
import { LOCKS } from './locks.ts';
import pg from 'pg';
import { StartError } from '../start-error.ts';
import { unavailability } from '../unavailability.ts';
import type { ConnectionTarget } from './connections/connection-target.ts';
import { clientConfig, GuardedClient } from './connections/guarded-client.ts';
import { jobsRole, servingRole } from './roles.ts';

/** Creates the database if it is missing, through `maintenanceDatabase` on the same server. */
export async function createDatabase(target: ConnectionTarget, maintenanceDatabase: string): Promise<void> {
  await withClient({ ...target, dbName: maintenanceDatabase }, async (client) => {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [target.dbName]);
    if (rowCount) return;
    await client.query(`create database ${client.escapeIdentifier(target.dbName)}`).catch(unless(...CREATED_MEANWHILE));
  });
}

/** Another process was faster: PostgreSQL reports it by its own check or by a unique violation in its catalog. */
const CREATED_MEANWHILE = ['42P04', '23505'];

/** Creates missing roles for serving and jobs, and grants them to the connecting account. */
export async function createRoles(client: pg.Client, name: string): Promise<void> {
  // Concurrent grants would conflict. The lock ends with the connection at the latest.
  await client.query('select pg_advisory_lock($1)', [LOCKS.roles]);
  for (const role of [servingRole(name), jobsRole(name)]) {
    const identifier = client.escapeIdentifier(role);
    const { rowCount } = await client.query('select 1 from pg_roles where rolname = $1', [role]);
    if (!rowCount)
      await client.query(`create role ${identifier} nologin nosuperuser nobypassrls`).catch(unless('42710', '23505'));
    const { rowCount: mustLogIn } = await client.query(MUST_LOG_IN, [role]);
    if (mustLogIn) await client.query(`alter role ${identifier} login`);
    const member = await client.query<{ member: boolean }>("select pg_has_role(current_user, $1, 'set') as member", [
      role,
    ]);
    if (!member.rows[0]?.member) await client.query(`grant ${identifier} to current_user`);
  }
  await client.query('select pg_advisory_unlock($1)', [LOCKS.roles]);
}

/** With Citus, nodes connect to each other as the current role. The operator configures how it authenticates. */
const MUST_LOG_IN = `select from pg_roles where rolname = $1 and not rolcanlogin
  and exists (select from pg_extension where extname = 'citus')`;

/** Grants missing table privileges to both roles, after the migrations and under their lock. */
export async function grantRoles(client: pg.Client, name: string): Promise<void> {
  const names = [servingRole(name), jobsRole(name)];
  const {
    rows: [state],
  } = await client.query<{ complete: boolean }>(HAVE_GRANTS, [names]);
  if (state?.complete) return;
  const roles = names.map((role) => client.escapeIdentifier(role)).join(', ');
  await client.query(`grant usage on schema public to ${roles}`);
  await client.query(`grant select, insert, update, delete on all tables in schema public to ${roles}`);
  await client.query(`grant usage, select on all sequences in schema public to ${roles}`);
}

const HAVE_GRANTS = `
  select bool_and(has_schema_privilege(role, 'public', 'usage')) and not exists (
    select from pg_class c, unnest($1::text[]) as role
     where c.relnamespace = 'public'::regnamespace and (
       c.relkind in ('r', 'p', 'v', 'm', 'f') and not (has_table_privilege(role, c.oid, 'select') and has_table_privilege(role, c.oid, 'insert')
         and has_table_privilege(role, c.oid, 'update') and has_table_privilege(role, c.oid, 'delete'))
       or c.relkind = 'S' and not (has_sequence_privilege(role, c.oid, 'usage') and has_sequence_privilege(role, c.oid, 'select')))) as complete
  from unnest($1::text[]) as role`;

/** Runs `work` on its own connection, as the connecting account and without a lock timeout. */
export async function withClient<T>(target: ConnectionTarget, work: (client: pg.Client) => Promise<T>): Promise<T> {
  // Migrations wait until another process has finished its migrations, however long that takes.
  const client: pg.Client = new GuardedClient({ ...clientConfig(target), lock_timeout: 0 });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function unless(...codes: string[]): (error: unknown) => void {
  return (error) => {
    if (!codes.includes((error as { code?: string }).code ?? '')) throw error;
  };
}

/** Checked up front: an older server's syntax error would not be helpful. */
const VERSION_MIN = 18;

/** Throws a {@link StartError} that names the database and server if the server is unreachable or too old. */
export async function requireVersion(name: string, target: ConnectionTarget): Promise<void> {
  const server = `${target.host}:${target.port}`;
  const version = await serverVersion(target)
    .catch(async (error: unknown) => {
      if (!isBroken(error)) throw error;
      await pause(RETRY_MILLISECONDS);
      return serverVersion(target);
    })
    .catch((error: unknown) => {
      throw new StartError(`The database ${name} cannot be used at ${server}: ${reasonOf(error)}`, error);
    });
  if (Number.parseInt(version, 10) >= VERSION_MIN) return;
  throw new StartError(
    `The database ${name} needs PostgreSQL ${VERSION_MIN} or newer: the server at ${server} is ${version}`,
  );
}

/** The server's message with its code, or the code of an error before a server answered. */
export function reasonOf(error: unknown): string {
  if (error instanceof pg.DatabaseError) return `${error.message} (${error.code})`;
  return unavailability(error)?.cause ?? (error as Error).message;
}

/** Pause before the next attempt: longer than the circuit breaker needs to find out that the server is available. */
const RETRY_MILLISECONDS = 2_000;

/**
 * The connection broke before the server answered. A server closes connections that take a minute to authenticate, which
 * happens to this process if it loads its modules on a busy machine.
 */
function isBroken(error: unknown): boolean {
  return /^(?:EPIPE|ECONNRESET|Connection terminated)/.test(unavailability(error)?.cause ?? '');
}

function serverVersion(target: ConnectionTarget): Promise<string> {
  return withClient(target, async (client) => {
    const {
      rows: [row],
    } = await client.query<{ server_version: string }>('show server_version');
    return row?.server_version ?? '';
  });
}
