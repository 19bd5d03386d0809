/** A new database and one from before version 1.0, upgraded from any of its migrations, have the same schema. */
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readManifest } from '#platform/database/backup/manifest.ts';
import { migrate } from '#platform/database/migrations/migrate.ts';
import { withClient } from '#platform/database/prepare-database.ts';
import type { Database } from '#platform/database/open-database.ts';
import { definitions } from '../../../start/definitions.ts';
import { schemaOf } from '../../support/schema-of.ts';
import { earlierDatabase, emptyDatabase } from '../../support/earlier-databases.ts';

const BACKUP = readManifest(join(import.meta.dirname, 'backup-of-84695df'));

it.each(definitions)('$name has the same schema after an upgrade as when created anew', async (definition) => {
  const created = await migrated(await emptyDatabase(definition));
  const names = created.earlierMigrations.map(({ name }) => name);
  const inBackup = BACKUP.databases.find(({ name }) => name === definition.name)?.migrations.length ?? 1;
  // The migrations of the backup, some more, and all of them.
  for (const count of [inBackup, Math.ceil((inBackup + names.length) / 2), names.length]) {
    const upgraded = await migrated(await earlierDatabase(definition, names[count - 1]!));
    expect(await schemaOf(upgraded.target), names[count - 1]).toEqual(await schemaOf(created.target));
    expect(await executed(upgraded)).toEqual(await executed(created));
  }
});

it.each(definitions)('$name, if it began with a migration that replaced others', async (definition) => {
  const created = await migrated(await emptyDatabase(definition));
  const names = created.earlierMigrations.map(({ name }) => name);
  const began = names.findIndex((name) => /^20261127.*-(version-1|first)$/.test(name));
  const last = names[Math.ceil((began + names.length - 1) / 2)]!;
  const database = await earlierDatabase(definition, last);
  await withClient(database.target, (client) =>
    client.query('delete from mikro_orm_migrations where name = any($1)', [names.slice(0, began)]),
  );
  expect(await schemaOf((await migrated(database)).target)).toEqual(await schemaOf(created.target));
});

async function migrated(database: Database): Promise<Database> {
  onTestFinished(() => database.close());
  await migrate(database);
  expect(await migrate(database)).toBe(0);
  return database;
}

async function executed({ orm }: Database): Promise<string[]> {
  return (await orm.migrator.getExecuted()).map(({ name }) => name);
}
