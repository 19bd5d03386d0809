/** Copies one database as of one instant while it is in use. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { constants, createZstdCompress } from 'node:zlib';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { elapsedMilliseconds } from '../../clock.ts';
import type { ConnectionTarget } from '../connections/connection-target.ts';
import { clientConfig, GuardedClient } from '../connections/guarded-client.ts';
import { jobsRole } from '../roles.ts';
import type { DatabaseCopy, TableCopy } from './manifest.ts';

export interface Snapshot {
  readonly postgresVersion: string;
  /**
   * Writes each table into a file below `folder`. `share` is the fraction of time it may work; 1 means without pauses.
   */
  copy(folder: string, share: number, progress: (message: string) => void): Promise<DatabaseCopy>;
  close(): Promise<void>;
}

/** The migrator's own table; a restored database has run the same migrations. */
const OWN_TABLES = ['mikro_orm_migrations'];

/**
 * Level of Zstandard. The result has three fifths of the size of gzip's at its default level, and takes a quarter of
 * the time.
 */
const COMPRESSION_LEVEL = 3;

/** Length of a slice: short enough not to delay requests noticeably. */
const SLICE_MILLISECONDS = 15;

/** Takes the snapshot: later commits are not copied. */
export async function openSnapshot(name: string, target: ConnectionTarget): Promise<Snapshot> {
  const client: pg.Client = new GuardedClient({
    ...clientConfig(target),
    idle_in_transaction_session_timeout: 0,
    options: '-c statement_timeout=0 -c datestyle=ISO',
  });
  await client.connect();
  await client.query('begin isolation level repeatable read read only');
  const migrations = await client.query<{ name: string }>('select name from mikro_orm_migrations order by id');
  // The role whose policies allow all organizations: the owner itself may be subject to policies.
  await client.query(`set local role ${client.escapeIdentifier(jobsRole(name))}`);
  const {
    rows: [version],
  } = await client.query<{ server_version: string }>('show server_version');
  return {
    postgresVersion: version?.server_version ?? '',
    async copy(folder, share, progress) {
      await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
      const tables: TableCopy[] = [];
      for (const table of await tablesToLoad(client)) {
        const copied = await copyTable(client, table, { folder, file: `${name}/${table.name}.copy.zst`, share });
        progress(`${name}.${table.name}: ${copied.rows} rows`);
        tables.push(copied);
      }
      return {
        name,
        migrations: migrations.rows.map((row) => row.name),
        tables,
        sequences: await sequencesOf(client),
      };
    },
    close: () => client.end(),
  };
}

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
}

/** Referenced tables first. A table may reference itself; there are no longer cycles. */
async function tablesToLoad(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table & { needs: string[] }>(TABLES, [OWN_TABLES]);
  const sorted: Table[] = [];
  const done = new Set<string>();
  while (sorted.length < rows.length) {
    const next = rows.filter(({ name, needs }) => !done.has(name) && needs.every((need) => done.has(need)));
    if (next.length === 0) throw new Error('Tables reference each other in a cycle, so a backup cannot order them');
    for (const { name, columns } of next) {
      sorted.push({ name, columns });
      done.add(name);
    }
  }
  return sorted;
}

const TABLES = `
  select c.relname as name,
    array(select a.attname::text from pg_attribute a
           where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns,
    array(select distinct r.relname::text from pg_constraint k join pg_class r on r.oid = k.confrelid
           where k.contype = 'f' and k.conrelid = c.oid and k.confrelid <> c.oid) as needs
    from pg_class c
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> all($1)
   order by 1`;

async function copyTable(
  client: pg.Client,
  { name, columns }: Table,
  { folder, file, share }: { readonly folder: string; readonly file: string; readonly share: number },
): Promise<TableCopy> {
  const list = columns.map((column) => client.escapeIdentifier(column)).join(', ');
  const rows = client.query(copyTo(`copy (select ${list} from ${client.escapeIdentifier(name)}) to stdout`));
  const hash = createHash('sha256');
  const hashed = new Transform({
    transform(chunk: Buffer, _, callback) {
      hash.update(chunk);
      callback(null, chunk);
    },
  });
  const packed = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: COMPRESSION_LEVEL } });
  const written = createWriteStream(join(folder, file), { mode: 0o600, flush: true });
  await pipeline(rows, restingBetween(share), packed, hashed, written);
  return { table: name, columns: [...columns], rows: rows.rowCount, file, sha256: hash.digest('hex') };
}

/** Passes data on with pauses. The server waits while the reader pauses. */
function restingBetween(share: number): Transform {
  let since = elapsedMilliseconds();
  return new Transform({
    async transform(chunk: Buffer, _, callback) {
      const worked = elapsedMilliseconds() - since;
      if (share < 1 && worked > SLICE_MILLISECONDS) {
        await pause(worked * (1 / share - 1));
        since = elapsedMilliseconds();
      }
      callback(null, chunk);
    },
  });
}

async function sequencesOf(client: pg.Client): Promise<DatabaseCopy['sequences']> {
  const { rows } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S' order by 1",
  );
  const sequences: DatabaseCopy['sequences'] = [];
  for (const { name } of rows) {
    if (OWN_TABLES.some((table) => name.startsWith(`${table}_`))) continue;
    const {
      rows: [state],
    } = await client.query<{ last_value: string; is_called: boolean }>(
      `select last_value, is_called from ${client.escapeIdentifier(name)}`,
    );
    if (state) sequences.push({ name, value: state.last_value, isCalled: state.is_called });
  }
  return sequences;
}
