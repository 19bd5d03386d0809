/** A database knows its migrations by name; files keep their order and are never edited. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { migrate } from '#platform/database/migrations/migrate.ts';
import { withClient } from '#platform/database/prepare-database.ts';
import { readMigrationHistory } from '#platform/database/migrations/migration-history.ts';
import { definitions } from '../../../../start/definitions.ts';
import { historyErrors, recordHistory } from '../../../../tools/check-migration-history.ts';
import { earlierDatabase } from '../../../support/earlier-databases.ts';

describe('a database of version 0.1 that ran a migration under its former name', () => {
  const renamed = definitions.filter(({ name }) => name === 'costing' || name === 'attribution');

  test.each(renamed)('$name does not run it again', async (definition) => {
    const [[former, present]] = Object.entries(readMigrationHistory(definition.migrationsFolder).renamed) as [
      [string, string],
    ];
    const database = await earlierDatabase(definition, present);
    try {
      await withClient(database.target, async (client) => {
        const { rowCount } = await client.query('update mikro_orm_migrations set name = $1 where name = $2', [
          former,
          present,
        ]);
        expect(rowCount).toBe(1);
      });
      // The migration itself could not run again: what it creates exists.
      await migrate(database);
      await expect(database.orm.migrator.getPending()).resolves.toEqual([]);
    } finally {
      await database.close();
    }
  });
});

describe('the history of migrations', () => {
  const NOW = Date.UTC(2026, 10, 21, 12);
  let directory: string;
  let folder: URL;
  const write = (name: string, text = 'export {};\n'): void => writeFileSync(join(directory, `${name}.ts`), text);

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'migrations-'));
    folder = pathToFileURL(`${directory}/`);
    write('20261121100000-first');
    write('20261121110000-second');
    recordHistory(folder);
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it('reports nothing for recorded migrations', () => {
    expect(historyErrors(folder, NOW)).toEqual([]);
  });

  it('refuses an edited migration', () => {
    write('20261121100000-first', 'export const edited = true;\n');
    expect(historyErrors(folder, NOW)).toEqual([expect.stringContaining('20261121100000-first was edited')]);
  });

  it('refuses a removed migration', () => {
    rmSync(join(directory, '20261121100000-first.ts'));
    expect(historyErrors(folder, NOW)).toEqual([expect.stringContaining('20261121100000-first is missing')]);
  });

  it('refuses a migration that sorts before one that databases have run', () => {
    write('20261121105959-between');
    expect(historyErrors(folder, NOW)).toEqual([expect.stringContaining('sorts before 20261121110000-second')]);
  });

  it('refuses a time in the future', () => {
    write('20261121235959-last');
    recordHistory(folder);
    expect(historyErrors(folder, NOW)).toEqual([expect.stringContaining('has a creation time in the future')]);
  });

  it('asks to record a new migration', () => {
    write('20261121113000-third');
    expect(historyErrors(folder, NOW)).toEqual([expect.stringContaining('npm run migration:record')]);
  });
});
