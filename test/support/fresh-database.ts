/** A database of a test's own: a copy of the migrated template. */
import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { withClient } from '../../platform/database/prepare-database.ts';
import type { ConnectionTarget } from '../../platform/database/connection-target.ts';
import type { Database } from '../../platform/database/open-database.ts';
import { openSubgraphDatabase, type SubgraphDefinition } from '../../platform/subgraph/subgraph.ts';

export async function freshTarget(name: string): Promise<ConnectionTarget> {
  const server = inject('server');
  const dbName = `${name}_${randomUUID().replaceAll('-', '')}`;
  await withClient({ ...server, dbName: 'postgres' }, (client) =>
    client.query(`create database ${dbName} template template_${name}`),
  );
  return { ...server, dbName };
}

/** Close it after the test. */
export async function freshDatabase(definition: SubgraphDefinition): Promise<Database> {
  return openSubgraphDatabase(definition, await freshTarget(definition.name));
}
