/**
 * With `TEST_ON_NODES`, costing's and attribution's databases of the whole run are distributed over several nodes
 * (`citus-cluster.ts`).
 */
import type { ConnectionTarget } from '#platform/database/connections/connection-target.ts';
import { createDatabase, withClient } from '#platform/database/prepare-database.ts';

/** Servers of one cluster, the coordinator first. */
export type Nodes = readonly Omit<ConnectionTarget, 'dbName'>[];

/** Creates an empty database on each node, and joins them to one cluster. */
export async function createOnNodes(nodes: Nodes, dbName: string): Promise<ConnectionTarget> {
  const [coordinator, ...workers] = nodes as [Nodes[number], ...Nodes];
  for (const node of nodes) {
    await createDatabase({ ...node, dbName }, 'postgres');
    await withClient({ ...node, dbName }, (client) => client.query('create extension citus'));
  }
  const target = { ...coordinator, dbName };
  await withClient(target, async (client) => {
    await client.query('select citus_set_coordinator_host($1, $2)', [coordinator.host, coordinator.port]);
    for (const { host, port } of workers) await client.query('select citus_add_node($1, $2)', [host, port]);
  });
  return target;
}

/**
 * The copied database must not have connections, not even of Citus's own processes. The locations of its shards are
 * copied with it.
 */
export async function copyOnNodes(nodes: Nodes, copy: string, template: string): Promise<void> {
  await Promise.all(
    nodes.map((node) =>
      withClient({ ...node, dbName: 'postgres' }, async (client) => {
        // Concurrent alterations would fail.
        await client.query('select pg_advisory_lock(hashtext($1))', [template]);
        await client.query(`alter database ${template} with allow_connections false`);
        await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [template]);
        await client.query(`create database ${copy} template ${template} strategy file_copy`);
        if (!isTemplate(template)) await client.query(`alter database ${template} with allow_connections true`);
      }),
    ),
  );
}

const isTemplate = (name: string) => name.startsWith('template_');
