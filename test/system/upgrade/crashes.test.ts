/**
 * An upgrade whose connection is cut before one of its statements is repeated by the next start, with the same result
 * as an uninterrupted one. Each database of the early version is tested separately; `UPGRADE_CRASHES=all` cuts before
 * every statement, otherwise before some.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { loadDatabase } from '#platform/database/backup/load-database.ts';
import { readManifest } from '#platform/database/backup/manifest.ts';
import { migrate } from '#platform/database/migrations/migrate.ts';
import { withClient } from '#platform/database/prepare-database.ts';
import { openSubgraphDatabase } from '#platform/subgraph/subgraph.ts';
import { definitions } from '../../../start/definitions.ts';
import { schemaOf } from '../../support/schema-of.ts';
import { MINUTES } from '../../support/patience.ts';

// Upgrades the data of an earlier version, again and again.
vi.setConfig(MINUTES);

const FOLDER = join(import.meta.dirname, 'backup-of-84695df');
/** Number of cuts per database, spread over its statements; the first and the last statements are always among them. */
const CRASHES = process.env['UPGRADE_CRASHES'] === 'all' ? Number.POSITIVE_INFINITY : 6;

/** Cuts the connection before the n-th statement to a database is sent. Zero: never. */
const cut = { dbName: '', before: 0, seen: 0 };
const send = pg.Client.prototype.query;
pg.Client.prototype.query = function (
  this: pg.Client & { connection: { stream: { destroy(): void } } },
  ...args: unknown[]
) {
  // Part of connecting, before the first statement of the upgrade.
  const isOfUpgrade = !String(args[0]).startsWith('select pg_backend_pid()') && this.database === cut.dbName;
  if (isOfUpgrade && ++cut.seen === cut.before) this.connection.stream.destroy();
  return (send as (...args: unknown[]) => unknown).apply(this, args);
} as typeof send;

afterEach(() => Object.assign(cut, { dbName: '', before: 0, seen: 0 }));

describe.each(definitions.map((definition) => [definition.name, definition] as const))('%s', (name, definition) => {
  let restored: string;
  let migrated: readonly unknown[];
  let statements: number;

  beforeAll(async () => {
    restored = await newDatabase(name);
    const database = await openSubgraphDatabase(definition, { ...inject('server'), dbName: restored });
    await loadDatabase(
      database,
      // A database that did not exist yet is created by the upgrade.
      readManifest(FOLDER).databases.find((copy) => copy.name === name) ?? {
        name,
        migrations: [],
        tables: [],
        sequences: [],
      },
      FOLDER,
      () => {},
    );
    await database.close();
    const whole = await newDatabase(name, restored);
    await upgrade(whole, 0);
    statements = cut.seen;
    migrated = await contentsOf(whole);
  });

  it('is upgraded by the next start, wherever the first one was interrupted', async () => {
    expect(statements).toBeGreaterThan(10);
    for (const before of spread(statements, CRASHES)) {
      const dbName = await newDatabase(name, restored);
      await expect(upgrade(dbName, before), `before statement ${before}`).rejects.toThrow();
      await upgrade(dbName, 0);
      expect(await contentsOf(dbName), `before statement ${before}`).toEqual(migrated);
      await dropDatabase(dbName);
    }
  });

  async function upgrade(dbName: string, before: number): Promise<void> {
    const database = await openSubgraphDatabase(definition, { ...inject('server'), dbName });
    Object.assign(cut, { dbName, before, seen: 0 });
    try {
      await migrate(database);
    } finally {
      cut.dbName = '';
      await database.close();
    }
  }
});

const maintenance = { ...inject('server'), dbName: 'postgres' };

async function newDatabase(name: string, template?: string): Promise<string> {
  const dbName = `crash_${name}_${randomUUID().replaceAll('-', '')}`;
  await withClient(maintenance, (client) =>
    client.query(
      `create database ${dbName} ${template === undefined ? '' : `template ${template} strategy file_copy`}`,
    ),
  );
  return dbName;
}

async function dropDatabase(dbName: string): Promise<void> {
  await withClient(maintenance, (client) => client.query(`drop database ${dbName} with (force)`));
}

function spread(count: number, most: number): number[] {
  const all = Array.from({ length: count }, (_, index) => index + 1);
  if (count <= most) return all;
  return [...new Set(Array.from({ length: most }, (_, index) => all[Math.round((index * (count - 1)) / (most - 1))]!))];
}

/** The schema, and the rows of every table without values that differ in each run. */
async function contentsOf(dbName: string): Promise<readonly unknown[]> {
  const target = { ...inject('server'), dbName };
  const schema = await schemaOf(target);
  return withClient(target, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1",
    );
    const digests: unknown[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query(
        `select count(*)::int as rows, md5(string_agg(row, ' ' order by row)) as digest
         from (select (to_jsonb(t) - $1::text[])::text as row from ${client.escapeIdentifier(name)} t) as each`,
        [CHANGING],
      );
      digests.push({ table: name, ...rows[0] });
    }
    return [...schema, ...digests];
  });
}

/** Values that a migration generates at random or takes from the clock. */
const CHANGING = ['executed_at', 'id', 'token', 'previous_token', 'next_step_at', 'started_at', 'updated_at'];
