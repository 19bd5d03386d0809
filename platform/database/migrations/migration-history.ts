/**
 * What a folder of migrations promises next to its files, in `history.json`: the order in which they run, with the
 * SHA-256 of each file, and what a migration was once called. A migration that a database has run is never edited, and
 * none may sort before one that is there already: a new database would run it first and an existing one last.
 */
import { existsSync, readFileSync } from 'node:fs';
import type pg from 'pg';

export interface MigrationHistory {
  /** File name without its ending to the SHA-256 of the file in hexadecimal digits, in the order in which they run. */
  readonly migrations: Readonly<Record<string, string>>;
  /** The name under which older databases have a migration in their table, to its present name. */
  readonly renamed: Readonly<Record<string, string>>;
}

const EMPTY: MigrationHistory = { migrations: {}, renamed: {} };

export function historyFile(migrationsFolder: URL): URL {
  return new URL('history.json', migrationsFolder);
}

export function readMigrationHistory(migrationsFolder: URL): MigrationHistory {
  const file = historyFile(migrationsFolder);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as MigrationHistory) : EMPTY;
}

/** Tells a database the present names of the migrations that it has run. Safe to repeat. */
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
