/** Checks a database: it responds in time, accepts writes and has the expected schema. */
import pg from 'pg';
import { unavailability, type UnavailableState } from '../unavailability.ts';
import type { GuardedClient } from './connections/guarded-client.ts';
import type { Database } from './open-database.ts';
import { readWalState, type WalState } from './read-wal-state.ts';
import { poolAs } from './connections/pool-as.ts';
import { jobsRole } from './roles.ts';

export type DatabaseState = 'ok' | UnavailableState | 'migrations are pending';

export interface DatabaseCheck {
  readonly name: string;
  /** Returns the state of the database; never throws. */
  state(): Promise<DatabaseState>;
  wal(): Promise<WalState>;
  close(): Promise<void>;
}

/**
 * A real write that leaves nothing behind: half a megabyte in a temporary file, which fails on a full disk, and an
 * empty WAL message, which is flushed like a commit. It takes some milliseconds.
 */
const CHECK = `
  select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "isReadOnly",
         (select count(*)::int from mikro_orm_migrations where name = any($1)) as migrations,
         (select count(*) from unnest(array_fill(repeat('x', 8000), array[64]))) as "temporaryRows",
         case when not pg_is_in_recovery()
           then pg_logical_emit_message(true, 'readiness', '')::text end as "writtenAt"`;

/** Memory of the query: so little that the server writes the temporary file. */
const WORK_MEMORY = '64kB';

/**
 * Keeps its own connection, because all pools may be busy and a server without free connections still serves open
 * ones. Call it after the migrations: the ones applied then are expected from now on.
 */
export async function checkDatabase({ name, target, orm }: Database, millisecondsMax: number): Promise<DatabaseCheck> {
  const migrations = (await orm.migrator.getExecuted()).map((migration) => migration.name);
  const pool = poolAs(jobsRole(name), target, { name: 'check', max: 1, settings: { work_mem: WORK_MEMORY } });
  const check = { text: CHECK, values: [migrations], query_timeout: millisecondsMax };
  return {
    name,
    async state() {
      if (target.isAlmostFull?.()) return 'disk full';
      try {
        const row = await look();
        if (row?.isReadOnly) return 'read-only';
        return row?.migrations === migrations.length ? 'ok' : 'migrations are pending';
      } catch (error) {
        return unavailability(error)?.state ?? 'unreachable';
      }
    },
    wal: () => readWalState(pool, millisecondsMax),
    close: () => pool.end(),
  };

  async function look(): Promise<{ isReadOnly: boolean; migrations: number } | undefined> {
    const client = (await pool.connect()) as pg.PoolClient & GuardedClient;
    try {
      const {
        rows: [row],
      } = await client.query<{ isReadOnly: boolean; migrations: number }>(check);
      // This connection never gets a write error, so it would stay connected to a standby.
      if (row?.isReadOnly) client.markReadOnly();
      client.release();
      return row;
    } catch (error) {
      // A connection that does not respond in time is discarded; one that reports a full disk is still good.
      client.release(error instanceof pg.DatabaseError ? undefined : (error as Error));
      throw error;
    }
  }
}
