/** Loads one database of a backup into an empty one. */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { StartError } from '../../start-error.ts';
import { renameExecutedMigrations } from '../migrations/migration-history.ts';
import { createEarlierSchema } from '../migrations/earlier-migrations.ts';
import { isRestoreUnfinished, RESTORE_MARK } from './restore-mark.ts';
import { createRoles, withClient } from '../prepare-database.ts';
import type { Database } from '../open-database.ts';
import type { DatabaseCopy } from './manifest.ts';

/**
 * Migrates the database to the schema of the backup and loads its rows in one transaction. Later migrations run at the
 * next start. Throws a {@link StartError} if the database is in use or the backup is of a newer version. After a
 * crash, call it again.
 */
export async function loadDatabase(
  database: Database,
  copy: DatabaseCopy,
  folder: string,
  progress: (message: string) => void,
): Promise<void> {
  const { name, target, migrationHistory, orm } = database;
  await withClient(target, async (client) => {
    if (!(await isRestoreUnfinished(client))) {
      const {
        rows: [state],
      } = await client.query<{ used: boolean }>("select to_regclass('mikro_orm_migrations') is not null as used");
      if (state?.used) throw new StartError(`Database ${name} is in use: restore into empty databases`);
      await client.query(`create table ${RESTORE_MARK} ()`);
    }
    await createRoles(client, name);
    await renameExecutedMigrations(client, migrationHistory);
  });
  const last = lastMigration(copy, database);
  if (database.earlierMigrations.some((migration) => migration.name === last))
    await withClient(target, (client) => createEarlierSchema(client, database, last!));
  else if (last) await orm.migrator.up({ to: last });
  await withClient(target, async (client) => {
    await client.query('begin');
    await loadTables(client, copy, folder, progress);
    await client.query(`drop table ${RESTORE_MARK}`);
    await client.query('commit');
  });
}

/** The backup's migrations must be a prefix of ours. */
function lastMigration(
  { name, migrations }: DatabaseCopy,
  { migrationHistory, earlierMigrations }: Database,
): string | undefined {
  const known = [...earlierMigrations.map((migration) => migration.name), ...Object.keys(migrationHistory.migrations)];
  const made = new Set(migrations.map((migration) => migrationHistory.renamed[migration] ?? migration));
  const unknown = [...made].filter((migration) => !known.includes(migration));
  if (unknown.length > 0)
    throw new StartError(
      `The backup of ${name} is of a newer version (${unknown.join(', ')}): restore it with that version or a later one`,
    );
  return known.findLast((migration) => made.has(migration));
}

async function loadTables(
  client: pg.Client,
  { name, tables, sequences }: DatabaseCopy,
  folder: string,
  progress: (message: string) => void,
): Promise<void> {
  const escape = (identifier: string) => client.escapeIdentifier(identifier);
  // Rows inserted by migrations are in the backup too.
  if (tables.length > 0) await client.query(`truncate ${tables.map(({ table }) => escape(table)).join(', ')}`);
  const { rows: forced } = await client.query<{ table: string }>(
    "select relname as table from pg_class where relnamespace = 'public'::regnamespace and relforcerowsecurity",
  );
  // COPY does not support policies, so the owner bypasses them in this transaction.
  for (const { table } of forced) await client.query(`alter table ${escape(table)} no force row level security`);
  for (const { table, columns, rows, file } of tables) {
    const into = client.query(copyFrom(`copy ${escape(table)} (${columns.map(escape).join(', ')}) from stdin`));
    const unpacked = file.endsWith('.gz') ? createGunzip() : createZstdDecompress();
    await pipeline(createReadStream(join(folder, file)), unpacked, into);
    if (into.rowCount !== rows)
      throw new StartError(`${name}.${table}: ${into.rowCount} rows were loaded, but the backup states ${rows}`);
    progress(`${name}.${table}: ${rows} rows`);
  }
  for (const { table } of forced) await client.query(`alter table ${escape(table)} force row level security`);
  for (const { name: sequence, value, isCalled } of sequences)
    await client.query('select setval($1::regclass, $2, $3)', [escape(sequence), value, isCalled]);
}
