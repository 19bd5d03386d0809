/** A new database and a database of version 0.1, upgraded from any of its migrations, have the same schema. */
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readManifest } from '#platform/database/backup/manifest.ts';
import { migrate } from '#platform/database/migrations/migrate.ts';
import type { Database } from '#platform/database/open-database.ts';
import { definitions } from '../../../start/definitions.ts';
import { schemaOf } from '../../support/schema-of.ts';
import { databaseOfVersion01, emptyDatabase } from '../../support/version-0-1.ts';

const BACKUP = readManifest(join(import.meta.dirname, 'backup-of-84695df'));

it.each(definitions)('$name', async (definition) => {
  const created = await migrated(await emptyDatabase(definition));
  const names = created.earlierMigrations.map(({ name }) => name);
  const inBackup = BACKUP.databases.find(({ name }) => name === definition.name)?.migrations.length ?? 1;
  // The migrations of the backup, some more, and all of them.
  for (const count of [inBackup, Math.ceil((inBackup + names.length) / 2), names.length]) {
    const upgraded = await migrated(await databaseOfVersion01(definition, names[count - 1]!));
    expect(await schemaOf(upgraded.target), names[count - 1]).toEqual(await schemaOf(created.target));
    expect(await executed(upgraded)).toEqual(await executed(created));
  }
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
