/**
 * `history.json` of a migrations folder: the order of migrations, the SHA-256 of each file, and former names. A
 * released migration is never edited, and a new one must sort last: otherwise new and existing databases would run
 * them in different orders.
 */
import { existsSync, readFileSync } from 'node:fs';
import type pg from 'pg';

export interface MigrationHistory {
  /** File name without extension → hexadecimal SHA-256 of the file, in execution order. */
  readonly migrations: Readonly<Record<string, string>>;
  /** Former name of a migration → its current name. */
  readonly renamed: Readonly<Record<string, string>>;
}

const EMPTY: MigrationHistory = { migrations: {}, renamed: {} };

export function historyFile(migrationsFolder: URL): URL {
  return new URL('history.json', migrationsFolder);
}

/** Empty if the folder contains no `history.json`. */
export function readMigrationHistory(migrationsFolder: URL): MigrationHistory {
  const file = historyFile(migrationsFolder);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as MigrationHistory) : EMPTY;
}

/** Renames migrations in the database's table to their current names. Safe to repeat. */
export async function renameExecutedMigrations(client: pg.Client, history: MigrationHistory): Promise<void> {
  const renamed = Object.entries(history.renamed);
  if (renamed.length === 0) return;
  const { rows } = await client.query<{ exists: boolean }>(
    "select to_regclass('mikro_orm_migrations') is not null as exists",
  );
  if (!rows[0]?.exists) return;
  for (const [from, to] of renamed) {
    await client.query('update mikro_orm_migrations set name = $2 where name = $1', [from, to]);
  }
}
