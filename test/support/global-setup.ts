/** One PostgreSQL for the whole run, and one migrated template per subgraph; a test's database is a copy. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../packages/embedded-postgres/start-embedded-postgres.ts';
import { createDatabase, withClient } from '#platform/database/prepare-database.ts';
import { migrate } from '#platform/database/migrations/migrate.ts';
import type { ConnectionTarget } from '#platform/database/connections/connection-target.ts';
import { servicePrincipal } from '#platform/principal.ts';
import { openSubgraphDatabase } from '#platform/subgraph/subgraph.ts';
import { definitions } from '../../start/definitions.ts';
import { costing } from '../../subgraphs/costing/main.ts';
import { distributeDatabase } from '#platform/database/nodes/distribute-database.ts';
import { type CitusCluster, startCitus } from './citus-cluster.ts';
import { copyOnNodes, createOnNodes, type Nodes } from './nodes-of-run.ts';
import { importCatalogue } from '../../subgraphs/costing/rate-changes/import-catalogue.operation.ts';

declare module 'vitest' {
  interface ProvidedContext {
    server: Omit<ConnectionTarget, 'dbName'>;
    /** Directory for files of tests (`run-directory.ts`). */
    runDirectory: string;
    isInMemory: boolean;
    /** Nodes of a distributed template, by its name (`nodes-of-run.ts`). */
    nodes: Readonly<Record<string, Nodes>>;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const isInMemory = hasMemoryToSpare();
  const directory = mkdtempSync(join(isInMemory ? MEMORY : tmpdir(), 'books-test-'));
  // World-writable like the system's own, since PostgreSQL's account writes there too.
  chmodSync(directory, 0o1777);
  const { host, port, user, password, stop } = await startEmbeddedPostgres({
    dataDirectory: join(directory, 'server'),
    durable: false,
    // Several test files start services at the same time.
    connections: 600,
  });
  const server = { host, port, user, password };
  // Some ten thousand connections authenticate, so they send the password in clear text, which needs no hashing.
  const hba = join(directory, 'server', 'postgres', 'pg_hba.conf');
  writeFileSync(hba, readFileSync(hba, 'utf8').replaceAll('scram-sha-256', 'password'));
  await withClient({ ...server, dbName: 'postgres' }, async (client) => {
    await client.query('set scram_iterations = 1');
    await client.query(`alter role ${user} password ${client.escapeLiteral(password)}`);
    await client.query('select pg_reload_conf()');
  });
  const cluster = process.env['TEST_ON_NODES']
    ? await startCitus(FIRST_NODE_PORT, { workers: 2, databases: [] })
    : null;
  const nodes: Record<string, Nodes> = {};
  for (const definition of definitions) {
    const isDistributed = cluster !== null && definition.distribution !== undefined;
    const dbName = `template_${definition.name}`;
    const target = isDistributed ? await createOnNodes(cluster.nodes, dbName) : { ...server, dbName };
    if (!isDistributed) await createDatabase(target, 'postgres');
    const database = await openSubgraphDatabase(definition, target);
    await migrate(database);
    await database.close();
    if (!isDistributed) continue;
    await distributeDatabase(target, { name: definition.name, ...definition.distribution! }, () => {});
    nodes[definition.name] = cluster.nodes;
  }
  if (nodes[costing.name]) nodes[CATALOGUE] = nodes[costing.name]!;
  await fillWithCatalogue(server, cluster);
  project.provide('server', server);
  project.provide('runDirectory', directory);
  project.provide('isInMemory', isInMemory);
  project.provide('nodes', nodes);
  return async () => {
    await Promise.all([stop(), cluster?.stop()]);
    // A run leaves some fifteen gigabytes on a disk; deleting them takes a minute, and nobody should wait for it.
    spawn('rm', ['-rf', directory], { detached: true, stdio: 'ignore' }).unref();
  };
}

const CATALOGUE = `${costing.name}_catalogue`;
/** Below the ports of `many-nodes.test.ts`. */
const FIRST_NODE_PORT = 9_200 + 4 * (process.pid % 100);
const MEMORY = '/dev/shm';
const GIBIBYTE = 1024 ** 3;

/**
 * In a memory file system, creating and deleting the hundreds of files of each database costs a fraction of a disk's
 * time.
 */
function hasMemoryToSpare(): boolean {
  const mounts = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8').split('\n') : [];
  const options = mounts.map((line) => line.split(' ')).findLast(([, place]) => place === MEMORY)?.[3];
  // Tests execute programs they have written, which a container's own file system may forbid.
  if (options === undefined || options.split(',').includes('noexec')) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize > 8 * GIBIBYTE && process.availableMemory() > 16 * GIBIBYTE;
}

/** Does most of a first start's work once, for all services of the tests (`serviceTarget`). */
async function fillWithCatalogue(
  server: Omit<ConnectionTarget, 'dbName'>,
  cluster: CitusCluster | null,
): Promise<void> {
  const dbName = `template_${CATALOGUE}`;
  const template = `template_${costing.name}`;
  if (cluster) await copyOnNodes(cluster.nodes, dbName, template);
  else
    await withClient({ ...server, dbName: 'postgres' }, (client) =>
      client.query(`create database ${dbName} template ${template} strategy file_copy`),
    );
  const target = { ...(cluster?.nodes[0] ?? server), dbName };
  const database = await openSubgraphDatabase(costing, target);
  await importCatalogue({ database, principal: servicePrincipal(costing.name, randomUUID()) });
  await database.close();
  // Copies have the template's statistics; without any, PostgreSQL reads the catalogue a hundred times more slowly.
  await withClient(target, (client) =>
    client.query('analyze rate_card, rate_card_version, rate_tier, rate_variant, rate_alias'),
  );
}
