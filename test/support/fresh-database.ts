/** A database of a test's own: a copy of the migrated template. */
import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { withClient } from '../../platform/database/prepare-database.ts';
import type { ConnectionTarget } from '../../platform/database/connection-target.ts';
import type { Database } from '../../platform/database/open-database.ts';
import { openSubgraphDatabase, type SubgraphDefinition } from '../../platform/subgraph/subgraph.ts';

export async function freshTarget(name: string): Promise<ConnectionTarget> {
  return { ...inject('server'), dbName: await copyOfDatabase(name, `template_${name}`) };
}

/** Its name. No one may be connected to the one that is copied. */
export async function copyOfDatabase(name: string, template: string): Promise<string> {
  const copy = `${name}_${randomUUID().replaceAll('-', '')}`;
  await withClient({ ...inject('server'), dbName: 'postgres' }, (client) =>
    client.query(`create database ${copy} template ${template}`),
  );
  return copy;
}

/** Close it after the test. */
export async function freshDatabase(definition: SubgraphDefinition): Promise<Database> {
  return openSubgraphDatabase(definition, await freshTarget(definition.name));
}
