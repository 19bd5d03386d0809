/** A database of a test's own: a copy of the migrated template. */
import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { withClient } from '#platform/database/prepare-database.ts';
import type { ConnectionTarget } from '#platform/database/connections/connection-target.ts';
import { markDistribution } from '#platform/database/nodes/distribution.ts';
import type { Database } from '#platform/database/open-database.ts';
import { copyOnNodes } from './nodes-of-run.ts';
import { openSubgraphDatabase, type SubgraphDefinition } from '#platform/subgraph/subgraph.ts';

export async function freshTarget(name: string): Promise<ConnectionTarget> {
  return targetOf(name, await copyOfDatabase(name, `template_${name}`));
}

/** A database of this kind, where those of the run lie. */
export function targetOf(name: string, dbName: string): ConnectionTarget {
  return { ...(inject('nodes')[name]?.[0] ?? inject('server')), dbName };
}

/** Whether costing's and attribution's databases lie on several nodes: for `skipIf` of what such a server refuses, or does otherwise. */
export const isOnNodes = (): boolean => Object.keys(inject('nodes')).length > 0;

/** For a whole service: the price catalogue, which a first start imports, is there. */
export function serviceTarget(name: string): Promise<ConnectionTarget> {
  return freshTarget(name === 'costing' ? 'costing_catalogue' : name);
}

/** Its name. No one may be connected to the one that is copied: its files are, which costs a third of writing them to the log. */
export async function copyOfDatabase(name: string, template: string): Promise<string> {
  const copy = `${name}_${randomUUID().replaceAll('-', '')}`;
  const nodes = inject('nodes')[name];
  if (nodes) await copyOnNodes(nodes, copy, template);
  else
    await withClient({ ...inject('server'), dbName: 'postgres' }, (client) =>
      client.query(`create database ${copy} template ${template} strategy file_copy`),
    );
  return copy;
}

/** Gives back the memory of databases that no test reads any more; on a disk they lie until the end of the run, which costs nothing. */
export async function dropDatabases(targets: readonly ConnectionTarget[]): Promise<void> {
  if (!inject('isInMemory')) return;
  await withClient({ ...inject('server'), dbName: 'postgres' }, async (client) => {
    for (const { dbName } of targets) await client.query(`drop database if exists ${dbName} with (force)`);
  });
}

/** Close it after the test. */
export async function freshDatabase(definition: SubgraphDefinition): Promise<Database> {
  return openDatabaseOf(definition, await freshTarget(definition.name));
}

/** As the start does. */
export async function openDatabaseOf(definition: SubgraphDefinition, target: ConnectionTarget): Promise<Database> {
  const database = await openSubgraphDatabase(definition, target);
  await markDistribution(database);
  return database;
}
