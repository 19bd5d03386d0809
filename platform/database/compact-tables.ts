/** Rewrites tables with much free space, so that the operating system gets it back. VACUUM alone keeps it for later rows. */
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { StartError } from '../start-error.ts';
import type { ConnectionTarget } from './connections/connection-target.ts';
import { clientConfig, GuardedClient } from './connections/guarded-client.ts';
import { jobsRole } from './roles.ts';

/** Below this, a rewrite costs more than it returns. */
const FREE_SHARE_LEAST = 0.2;
const FREE_BYTES_LEAST = 4 * 1024 ** 2;
const SAMPLED_PAGES = 1_000;
/** Bytes of a row outside the row itself: its pointer in the page. */
const ROW_POINTER_BYTES = 4;

/** All queries of the table queue behind a lock that waits, so it waits only briefly and tries again. */
const LOCK_TIMEOUT = '2s';
const ATTEMPTS = 30;
const REST_MILLISECONDS = 2_000;
const LOCK_NOT_AVAILABLE = '55P03';

export interface CompactedTable {
  readonly table: string;
  /** Bytes on the disk, indexes included. */
  readonly before: number;
  /** Equal to `before` in a dry run. */
  readonly after: number;
  /** Estimated free bytes of its rows before; its indexes may have more. */
  readonly free: number;
}

interface Options {
  readonly isDryRun: boolean;
  readonly progress: (message: string) => void;
}

/**
 * Rewrites the tables of a database whose rows leave at least a fifth of their space free, one after the other. Each is
 * locked while it is rewritten, and needs space for its copy. Throws a {@link StartError} if there is not enough space, or
 * if a table cannot be rewritten; it is then unchanged.
 */
export async function compactTables(
  name: string,
  target: ConnectionTarget,
  { isDryRun, progress }: Options,
): Promise<CompactedTable[]> {
  const client: pg.Client = new GuardedClient({ ...clientConfig(target), options: '-c statement_timeout=0' });
  await client.connect();
  try {
    const compacted: CompactedTable[] = [];
    for (const table of await listLargeTables(client)) {
      progress(`${name}.${table}: looking for free space`);
      const { free, bytes } = await estimateFreeSpace(client, name, table);
      if (free < FREE_BYTES_LEAST || free < FREE_SHARE_LEAST * bytes) continue;
      const before = await sizeOf(client, table);
      if (!isDryRun) {
        progress(
          `${name}.${table}: rewriting ${megabytes(before)}, of which at least about ${megabytes(free)} are free`,
        );
        const left = target.freeBytes?.() ?? Infinity;
        if (left < before - free)
          throw new StartError(
            `${name}.${table} needs ${megabytes(before - free)} of free disk space for its copy, and ${megabytes(left)} are left`,
          );
        await rewrite(client, name, table);
      }
      compacted.push({ table: `${name}.${table}`, before, after: await sizeOf(client, table), free });
    }
    return compacted;
  } finally {
    await client.end();
  }
}

/** `1,234.5 MB` */
export function megabytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toLocaleString('en', { maximumFractionDigits: 1 })} MB`;
}

async function listLargeTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname::text as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and pg_table_size(oid) > $1 order by 1`,
    [FREE_BYTES_LEAST],
  );
  return rows.map((row) => row.name);
}

/**
 * Compares the size of the table, without its indexes, with the total size of its rows: VACUUM counts them, and their
 * length is sampled. Space that its fill factor keeps free does not count.
 */
async function estimateFreeSpace(
  client: pg.Client,
  database: string,
  table: string,
): Promise<{ readonly free: number; readonly bytes: number }> {
  const name = client.escapeIdentifier(table);
  await client.query(`vacuum (analyze) ${name}`);
  // The owner may see no rows: its policies name the organization.
  await client.query(`set role ${client.escapeIdentifier(jobsRole(database))}`);
  const { rows } = await client.query<{ free: number; bytes: number }>(
    `select pg_table_size(oid)::float8 as bytes, (pg_table_size(oid) - greatest(reltuples, 0) * 100 / coalesce(
        (select option_value::int from pg_options_to_table(reloptions) where option_name = 'fillfactor'), 100) * (
        select coalesce(avg(pg_column_size(sampled.*)), 0) + ${ROW_POINTER_BYTES} from ${name} as sampled
        tablesample system (least(100, 100.0 * ${SAMPLED_PAGES} / greatest(relpages, 1)))))::float8 as free
     from pg_class where oid = $1::regclass`,
    [name],
  );
  await client.query('reset role');
  return rows[0]!;
}

async function sizeOf(client: pg.Client, table: string): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    'select pg_total_relation_size($1::regclass)::float8 as bytes',
    [client.escapeIdentifier(table)],
  );
  return rows[0]!.bytes;
}

async function rewrite(client: pg.Client, database: string, table: string): Promise<void> {
  await client.query(`set lock_timeout = '${LOCK_TIMEOUT}'`);
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(`vacuum (full, analyze) ${client.escapeIdentifier(table)}`);
      return;
    } catch (error) {
      if ((error as pg.DatabaseError).code !== LOCK_NOT_AVAILABLE)
        throw new StartError(
          `${database}.${table} could not be rewritten and is unchanged: ${(error as Error).message}`,
          error,
        );
      if (attempt === ATTEMPTS)
        throw new StartError(`${database}.${table} is constantly in use: try again when the service is less busy`);
      await pause(REST_MILLISECONDS);
    }
  }
}
