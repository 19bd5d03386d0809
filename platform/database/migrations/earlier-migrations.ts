/**
 * Databases and backups from before version 1.0, which has one migration per subgraph, `version-1`. A folder's
 * `earlier-migrations.sql` contains the migrations that it replaced; they lead to the same schema.
 */
import { existsSync, readFileSync } from 'node:fs';
import type pg from 'pg';
import type { Database } from '../open-database.ts';

export interface EarlierMigration {
  readonly name: string;
  readonly statements: readonly string[];
}

/** The earlier migrations, in execution order. */
export function readEarlierMigrations(migrationsFolder: URL): EarlierMigration[] {
  const file = new URL('earlier-migrations.sql', migrationsFolder);
  if (!existsSync(file)) return [];
  const [, ...migrations] = readFileSync(file, 'utf8').split(/^-- migration /m);
  return migrations.map((migration) => {
    const [name = '', ...lines] = migration.trim().split('\n');
    const paragraphs = lines.join('\n').trim().split('\n\n');
    return { name, statements: paragraphs.filter((paragraph) => !IS_COMMENT.test(paragraph)) };
  });
}

const IS_COMMENT = /^(--[^\n]*\n?)*$/;

/** Brings a database from before version 1.0 to its schema, in one transaction. Safe to repeat. */
export async function runEarlierMigrations(client: pg.Client, database: Database): Promise<void> {
  const { earlierMigrations, migrationHistory } = database;
  const missing = await missingOf(client, earlierMigrations);
  if (missing.length === earlierMigrations.length) return;
  const [version1] = Object.keys(migrationHistory.migrations);
  await client.query('begin');
  await run(client, missing);
  await client.query('delete from mikro_orm_migrations where name = any($1)', [
    earlierMigrations.map(({ name }) => name),
  ]);
  await client.query('insert into mikro_orm_migrations (name) values ($1)', [version1]);
  await client.query('commit');
}

/** Brings an empty database to the schema that existed after the migration `last`. */
export async function createEarlierSchema(
  client: pg.Client,
  { earlierMigrations, orm }: Database,
  last: string,
): Promise<void> {
  // Creates the migrator's own table.
  await orm.migrator.getExecuted();
  const upTo = earlierMigrations.slice(0, earlierMigrations.findIndex(({ name }) => name === last) + 1);
  await client.query('begin');
  await run(client, await missingOf(client, upTo));
  await client.query('commit');
}

/**
 * The migrations after the last one that the database has run. The database may lack names of earlier migrations, if it
 * began with a migration that replaced them.
 */
async function missingOf(
  client: pg.Client,
  migrations: readonly EarlierMigration[],
): Promise<readonly EarlierMigration[]> {
  const {
    rows: [state],
  } = await client.query<{ exists: boolean }>("select to_regclass('mikro_orm_migrations') is not null as exists");
  if (!state?.exists) return migrations;
  const { rows } = await client.query<{ name: string }>('select name from mikro_orm_migrations');
  const executed = new Set(rows.map(({ name }) => name));
  return migrations.slice(migrations.findLastIndex(({ name }) => executed.has(name)) + 1);
}

async function run(client: pg.Client, migrations: readonly EarlierMigration[]): Promise<void> {
  for (const { name, statements } of migrations) {
    for (const statement of statements) await client.query(statement);
    await client.query('insert into mikro_orm_migrations (name) values ($1)', [name]);
  }
}
