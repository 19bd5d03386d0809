/** Makes a database and its roles ready before the migrations run. Safe to repeat, and safe for several processes at once. */
import type pg from 'pg';
import { StartError } from '../start-error.ts';
import { unavailability } from '../unavailability.ts';
import type { ConnectionTarget } from './connections/connection-target.ts';
import { clientConfig, GuardedClient } from './connections/guarded-client.ts';
import { jobsRole, servingRole } from './roles.ts';

/** Creates the database (connecting to `maintenanceDatabase` on the same server) when it is missing. */
export async function createDatabase(target: ConnectionTarget, maintenanceDatabase: string): Promise<void> {
  await withClient({ ...target, dbName: maintenanceDatabase }, async (client) => {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [target.dbName]);
    if (rowCount) return;
    await client.query(`create database ${client.escapeIdentifier(target.dbName)}`).catch(unless(...CREATED_MEANWHILE));
  });
}

/** Another process was faster: PostgreSQL says so by its own check, or by the unique index of its catalogue. */
const CREATED_MEANWHILE = ['42P04', '23505'];

/** Creates the serving role and the jobs role when they are missing, and lets the connecting account take them. */
export async function createRoles(client: pg.Client, name: string): Promise<void> {
  // Two that grant the same at the same time would disturb each other; the lock ends with the connection, if not before.
  await client.query('select pg_advisory_lock($1)', [ROLES_LOCK]);
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
  await client.query('select pg_advisory_unlock($1)', [ROLES_LOCK]);
}

const ROLES_LOCK = 727_013;

/** Where Citus is installed: its nodes connect to each other as the role that asks. How it proves itself there is the operator's to say. */
const MUST_LOG_IN = `select from pg_roles where rolname = $1 and not rolcanlogin
  and exists (select from pg_extension where extname = 'citus')`;

/** Gives both roles what they need on every table, where they lack any of it; under the lock of the migrations, after them. */
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

export async function withClient<T>(target: ConnectionTarget, work: (client: pg.Client) => Promise<T>): Promise<T> {
  // Anyone who migrates waits for another process's migrations, however long those take.
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

/** What older servers would say to the first statement that they do not know helps no one. */
const VERSION_MIN = 18;

/** Throws a {@link StartError} that names the database and its server when that cannot be used or is too old. */
export async function requireVersion(name: string, target: ConnectionTarget): Promise<void> {
  const server = `${target.host}:${target.port}`;
  const version = await serverVersion(target).catch((error: unknown) => {
    throw new StartError(
      `The database ${name} cannot be used at ${server}: ${unavailability(error)?.cause ?? (error as Error).message}`,
      error,
    );
  });
  if (Number.parseInt(version, 10) >= VERSION_MIN) return;
  throw new StartError(
    `The database ${name} needs PostgreSQL ${VERSION_MIN} or newer: the server at ${server} is ${version}`,
  );
}

function serverVersion(target: ConnectionTarget): Promise<string> {
  return withClient(target, async (client) => {
    const {
      rows: [row],
    } = await client.query<{ server_version: string }>('show server_version');
    return row?.server_version ?? '';
  });
}
