/**
 * Databases and backups of version 0.1. Version 1.0 has one migration per subgraph, `version-1`; a folder's
 * `version-0-1.sql` contains the earlier ones, which lead to the same schema.
 */
import { existsSync, readFileSync } from 'node:fs';
import type pg from 'pg';
import type { Database } from '../open-database.ts';

export interface EarlierMigration {
  readonly name: string;
  readonly statements: readonly string[];
}

/** In execution order. */
export function readEarlierMigrations(migrationsFolder: URL): EarlierMigration[] {
  const file = new URL('version-0-1.sql', migrationsFolder);
  if (!existsSync(file)) return [];
  const [, ...migrations] = readFileSync(file, 'utf8').split(/^-- migration /m);
  return migrations.map((migration) => {
    const [name = '', ...lines] = migration.trim().split('\n');
    const paragraphs = lines.join('\n').trim().split('\n\n');
    return { name, statements: paragraphs.filter((paragraph) => !IS_COMMENT.test(paragraph)) };
  });
}

const IS_COMMENT = /^(--[^\n]*\n?)*$/;

/** Brings a database of version 0.1 to the schema of version 1.0, in one transaction. Safe to repeat. */
export async function upgradeFromVersion01(client: pg.Client, database: Database): Promise<void> {
  const { earlierMigrations, migrationHistory } = database;
  const executed = await executedOf(client, earlierMigrations);
  if (executed.size === 0) return;
  const [version1] = Object.keys(migrationHistory.migrations);
  await client.query('begin');
  await runMissing(client, earlierMigrations, executed);
  await client.query('delete from mikro_orm_migrations where name = any($1)', [
    earlierMigrations.map(({ name }) => name),
  ]);
  await client.query('insert into mikro_orm_migrations (name) values ($1)', [version1]);
  await client.query('commit');
}

/** Brings an empty database to the schema of version 0.1 that existed after the migration `last`. */
export async function createVersion01(
  client: pg.Client,
  { earlierMigrations, orm }: Database,
  last: string,
): Promise<void> {
  // Creates the migrator's own table.
  await orm.migrator.getExecuted();
  const upTo = earlierMigrations.slice(0, earlierMigrations.findIndex(({ name }) => name === last) + 1);
  await client.query('begin');
  await runMissing(client, upTo, await executedOf(client, upTo));
  await client.query('commit');
}

async function executedOf(client: pg.Client, migrations: readonly EarlierMigration[]): Promise<ReadonlySet<string>> {
  const {
    rows: [state],
  } = await client.query<{ exists: boolean }>("select to_regclass('mikro_orm_migrations') is not null as exists");
  if (!state?.exists) return new Set();
  const { rows } = await client.query<{ name: string }>('select name from mikro_orm_migrations where name = any($1)', [
    migrations.map(({ name }) => name),
  ]);
  return new Set(rows.map(({ name }) => name));
}

async function runMissing(
  client: pg.Client,
  migrations: readonly EarlierMigration[],
  executed: ReadonlySet<string>,
): Promise<void> {
  for (const { name, statements } of migrations) {
    if (executed.has(name)) continue;
    for (const statement of statements) await client.query(statement);
    await client.query('insert into mikro_orm_migrations (name) values ($1)', [name]);
  }
}
