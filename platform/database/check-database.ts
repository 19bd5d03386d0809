/** Whether a database can do now what this process needs: answer in time, be written, have the schema that we know. */
import pg from 'pg';
import { unavailability, type UnavailableState } from '../unavailability.ts';
import type { Database } from './open-database.ts';
import { jobsRole } from './roles.ts';

export type DatabaseState = 'ok' | UnavailableState | 'migrations are pending';

export interface DatabaseCheck {
  readonly name: string;
  /** Never fails, and takes no longer than its limit to connect and as long to answer. */
  state(): Promise<DatabaseState>;
  close(): Promise<void>;
}

/**
 * The write is real and leaves nothing behind: half a megabyte of a temporary file, which a full disk refuses, and an
 * empty message in the write-ahead log, which is flushed like any commit. Together some milliseconds.
 */
const CHECK = `
  select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "isReadOnly",
         (select count(*)::int from mikro_orm_migrations where name = any($1)) as migrations,
         (select count(*) from unnest(array_fill(repeat('x', 8000), array[64]))) as "temporaryRows",
         case when not pg_is_in_recovery()
           then pg_logical_emit_message(true, 'readiness', '')::text end as "writtenAt"`;

/** Makes the server write the temporary file. */
const WORK_MEMORY = '64kB';

/**
 * Keeps one connection of its own: the pools may all be busy, and a server without a free connection still serves those
 * that it has. Called after the migrations: those that are done then are the ones that must stay.
 */
export async function checkDatabase(database: Database, millisecondsMax: number): Promise<DatabaseCheck> {
  const migrations = (await database.orm.migrator.getExecuted()).map(({ name }) => name);
  /** At rest between two checks. */
  let resting: pg.Client | null = null;
  let isClosed = false;

  const connect = async (): Promise<pg.Client> => {
    const { host, port, user, password, dbName, driverOptions } = database.target;
    const next = new pg.Client({
      host,
      port,
      user,
      password,
      database: dbName,
      ...driverOptions,
      options: `-c role=${jobsRole(database.name)} -c work_mem=${WORK_MEMORY}`,
      connectionTimeoutMillis: millisecondsMax,
      query_timeout: millisecondsMax,
    });
    // A connection that is lost between two checks is replaced by the next.
    next.on('error', () => {
      if (resting === next) resting = null;
    });
    try {
      await next.connect();
    } catch (error) {
      drop(next);
      throw error;
    }
    return next;
  };

  const rest = (client: pg.Client): void => {
    if (resting || isClosed) drop(client);
    else resting = client;
  };

  return {
    name: database.name,
    async state() {
      // A check that nobody waits for any more may still hold the last connection.
      let client = resting;
      resting = null;
      try {
        client ??= await connect();
        const {
          rows: [row],
        } = await client.query<{ isReadOnly: boolean; migrations: number }>(CHECK, [migrations]);
        rest(client);
        if (row?.isReadOnly) return 'read-only';
        return row?.migrations === migrations.length ? 'ok' : 'migrations are pending';
      } catch (error) {
        if (client) drop(client);
        return unavailability(error)?.state ?? 'unreachable';
      }
    },
    async close() {
      isClosed = true;
      await resting?.end();
    },
  };
}

/** Without a word to the server, which may not hear any. */
function drop(client: pg.Client): void {
  client.connection.stream.destroy();
}
