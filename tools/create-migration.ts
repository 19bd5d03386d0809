/** `npm run migration:create -- SUBGRAPH TITLE`: writes the migration that updates the schema to the entities. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../packages/embedded-postgres/start-embedded-postgres.ts';
import { createDatabase, createRoles, withClient } from '#platform/database/prepare-database.ts';
import { openSubgraphDatabase } from '#platform/subgraph/subgraph.ts';
import { definitions } from '../start/definitions.ts';
import { recordHistory } from './check-migration-history.ts';

const [name, title] = process.argv.slice(2);
const definition = definitions.find((candidate) => candidate.name === name);
if (!definition || !title) {
  console.error(
    'Usage: npm run migration:create -- identity|costing|attribution|revenue|alerting|reconciliation TITLE',
  );
  process.exit(2);
}
const directory = mkdtempSync(join(tmpdir(), 'migration-'));
const server = await startEmbeddedPostgres({ dataDirectory: directory, durable: false });
const target = {
  host: server.host,
  port: server.port,
  user: server.user,
  password: server.password,
  dbName: definition.name,
};
await createDatabase(target, 'postgres');
await withClient(target, (client) => createRoles(client, definition.name));
const database = await openSubgraphDatabase(definition, target);
const { fileName, diff } = await database.orm.migrator.create(undefined, false, false, title);
recordHistory(definition.migrationsFolder);
console.log(diff.up.length === 0 ? 'Nothing to change' : `Wrote ${fileName}`);
await database.close();
await server.stop();
rmSync(directory, { recursive: true, force: true });
