/** Databases from before version 1.0, which the next start upgrades. */
import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { createEarlierSchema, readEarlierMigrations } from '#platform/database/migrations/earlier-migrations.ts';
import type { Database } from '#platform/database/open-database.ts';
import { createRoles, withClient } from '#platform/database/prepare-database.ts';
import { openSubgraphDatabase, type SubgraphDefinition } from '#platform/subgraph/subgraph.ts';

/** A database without roles and tables. Close it after the test. */
export async function emptyDatabase(definition: SubgraphDefinition): Promise<Database> {
  const dbName = `${definition.name}_${randomUUID().replaceAll('-', '')}`;
  await withClient({ ...inject('server'), dbName: 'postgres' }, (client) => client.query(`create database ${dbName}`));
  return openSubgraphDatabase(definition, { ...inject('server'), dbName });
}

/** A database with the tables that existed after the migration `last`. Close it after the test. */
export async function earlierDatabase(definition: SubgraphDefinition, last: string): Promise<Database> {
  const database = await emptyDatabase(definition);
  await withClient(database.target, async (client) => {
    await createRoles(client, definition.name);
    await createEarlierSchema(client, database, last);
  });
  return database;
}

/** Name of the migration that precedes the one with this title. */
export function migrationBefore({ migrationsFolder }: SubgraphDefinition, title: string): string {
  const earlierMigrations = readEarlierMigrations(migrationsFolder);
  const index = earlierMigrations.findIndex(({ name }) => name.replace(/^\d+-/, '') === title);
  return earlierMigrations[index - 1]!.name;
}
