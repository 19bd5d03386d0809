/** One PostgreSQL for the whole run, and one migrated template for each subgraph: a test's database is a copy. */
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../packages/embedded-postgres/start-embedded-postgres.ts';
import { createDatabase } from '../../platform/database/prepare-database.ts';
import { migrate } from '../../platform/database/migrations/migrate.ts';
import type { ConnectionTarget } from '../../platform/database/connection-target.ts';
import { openSubgraphDatabase } from '../../platform/subgraph/subgraph.ts';
import { definitions } from '../../start/definitions.ts';

declare module 'vitest' {
  interface ProvidedContext {
    server: Omit<ConnectionTarget, 'dbName'>;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(tmpdir(), 'books-test-'));
  const { host, port, user, password, stop } = await startEmbeddedPostgres({
    dataDirectory: directory,
    durable: false,
  });
  const server = { host, port, user, password };
  for (const definition of definitions) {
    const target = { ...server, dbName: `template_${definition.name}` };
    await createDatabase(target, 'postgres');
    const database = await openSubgraphDatabase(definition, target);
    await migrate(database);
    await database.close();
  }
  project.provide('server', server);
  return async () => {
    await stop();
    // After a whole run it holds some fifteen gigabytes: a minute of deleting for which no one needs to wait.
    spawn('rm', ['-rf', directory], { detached: true, stdio: 'ignore' }).unref();
  };
}
