/**
 * `npm run check:migrations`: on an empty PostgreSQL, each subgraph's migrations produce exactly its entities, and
 * match the snapshot from which the next migration is computed. No committed migration was edited, none sorts before
 * one that databases have run, and every table is among its subgraph's entities.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '#platform/database/migrations/migrate.ts';
import type { Database } from '#platform/database/open-database.ts';
import { createDatabase } from '#platform/database/prepare-database.ts';
import { now } from '#platform/clock.ts';
import { startEmbeddedPostgres } from '../packages/embedded-postgres/start-embedded-postgres.ts';
import { openSubgraphDatabase } from '#platform/subgraph/subgraph.ts';
import { definitions } from '../start/definitions.ts';
import { absentTables, historyErrors } from './check-migration-history.ts';

/** Constraints written by hand in migrations because entities cannot express them: the comparison would drop them. */
const WRITTEN_CONSTRAINTS: Readonly<Record<string, readonly string[]>> = {
  identity: [],
  costing: [
    'fixed_cost_period_no_overlap',
    'rate_alias_card_foreign',
    'rate_card_name_unique',
    'rate_card_version_card_foreign',
    'rate_card_version_one_in_force',
    'rate_tier_version_foreign',
  ],
  attribution: [],
  revenue: [],
};

const DROPPED_CONSTRAINT = /^alter table "\w+" drop constraint "(\w+)";$/;

const directory = mkdtempSync(join(tmpdir(), 'check-migrations-'));
const server = await startEmbeddedPostgres({ dataDirectory: directory, durable: false });
try {
  for (const definition of definitions) {
    const target = {
      host: server.host,
      port: server.port,
      user: server.user,
      password: server.password,
      dbName: definition.name,
    };
    await createDatabase(target, 'postgres');
    const database = await openSubgraphDatabase(definition, target);
    try {
      const count = await migrate(database);
      const errors = [
        ...(await absentTables(definition)),
        ...historyErrors(definition.migrationsFolder, now().getTime()),
        ...(await differences(database)),
      ];
      if (errors.length === 0) console.log(`${definition.name}: migrations produce its entities (${count} run)`);
      else {
        console.error(
          [
            `${definition.name}: its entities, its migrations and its database differ`,
            ...errors.map((error) => `  ${error}`),
            `  A changed entity needs a migration: npm run migration:create -- ${definition.name} TITLE`,
          ].join('\n'),
        );
        process.exitCode = 1;
      }
    } finally {
      await database.close();
    }
  }
} finally {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}

/** One line for each missing statement, and for each handwritten constraint that the database lacks. */
async function differences({ name, orm }: Database): Promise<string[]> {
  const statements = (await orm.schema.getUpdateSchemaSQL({ wrap: false })).split('\n').filter((line) => line !== '');
  const written = new Set(WRITTEN_CONSTRAINTS[name]);
  const missing = statements.filter((statement) => !written.delete(DROPPED_CONSTRAINT.exec(statement)?.[1] ?? ''));
  return [
    ...missing,
    ...[...written].map((constraint) => `the constraint ${constraint} is in no migration`),
    ...((await orm.migrator.checkSchema()) ? ['the snapshot next to the migrations differs from the entities'] : []),
  ];
}
