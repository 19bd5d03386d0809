/** Whether a database can do now what this process needs: answer in time, be written, have the schema that we know. */
import pg from 'pg';
import { unavailability, type UnavailableState } from '../unavailability.ts';
import type { GuardedClient } from './connections/guarded-client.ts';
import type { Database } from './open-database.ts';
import { poolAs } from './connections/pool-as.ts';
import { jobsRole } from './roles.ts';

export type DatabaseState = 'ok' | UnavailableState | 'migrations are pending';

export interface DatabaseCheck {
  readonly name: string;
  /** Never fails. */
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
export async function checkDatabase({ name, target, orm }: Database, millisecondsMax: number): Promise<DatabaseCheck> {
  const migrations = (await orm.migrator.getExecuted()).map((migration) => migration.name);
  const pool = poolAs(jobsRole(name), target, { name: 'check', max: 1, settings: { work_mem: WORK_MEMORY } });
  const check = { text: CHECK, values: [migrations], query_timeout: millisecondsMax };
  return {
    name,
    async state() {
      try {
        const row = await look();
        if (row?.isReadOnly) return 'read-only';
        return row?.migrations === migrations.length ? 'ok' : 'migrations are pending';
      } catch (error) {
        return unavailability(error)?.state ?? 'unreachable';
      }
    },
    close: () => pool.end(),
  };

  async function look(): Promise<{ isReadOnly: boolean; migrations: number } | undefined> {
    const client = (await pool.connect()) as pg.PoolClient & GuardedClient;
    try {
      const {
        rows: [row],
      } = await client.query<{ isReadOnly: boolean; migrations: number }>(check);
      // It is refused nothing, and may rest at a standby for as long as anyone probes.
      if (row?.isReadOnly) client.markReadOnly();
      client.release();
      return row;
    } catch (error) {
      // A connection whose answer does not come in time is thrown away; one that hears of a full disk is as good as another.
      client.release(error instanceof pg.DatabaseError ? undefined : (error as Error));
      throw error;
    }
  }
}
