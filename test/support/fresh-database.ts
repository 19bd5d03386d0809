/** A database for a test: a copy of the migrated template. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import type { ConnectionTarget } from '#platform/database/connections/connection-target.ts';
import { markDistribution } from '#platform/database/nodes/distribution.ts';
import type { Database } from '#platform/database/open-database.ts';
import { deleteRows, reusable, type Reusable } from './delete-rows.ts';
import { copyOnNodes } from './nodes-of-run.ts';
import { openSubgraphDatabase, type SubgraphDefinition } from '#platform/subgraph/subgraph.ts';

export async function freshTarget(name: string): Promise<ConnectionTarget> {
  return targetOf(name, await copyOfDatabase(name, `template_${name}`));
}

/** Location of databases of this kind in this run. */
export function targetOf(name: string, dbName: string): ConnectionTarget {
  return { ...(inject('nodes')[name]?.[0] ?? inject('server')), dbName };
}

/**
 * True if costing's and attribution's databases are distributed, for `skipIf` of tests that do not apply to such a
 * server.
 */
export const isOnNodes = (): boolean => Object.keys(inject('nodes')).length > 0;

/** For a whole service: contains the price catalogue that a first start imports. */
export function serviceTarget(name: string): Promise<ConnectionTarget> {
  return freshTarget(name === 'costing' ? 'costing_catalogue' : name);
}

let maintenance: pg.Pool | undefined;

/** Runs a statement outside the databases of tests, on one connection per worker. */
function maintain(sql: string): Promise<unknown> {
  if (!maintenance) {
    const server = { ...inject('server'), database: 'postgres' };
    maintenance = new pg.Pool({ ...server, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true });
    // A lost connection is replaced at the next use.
    maintenance.on('error', () => {});
  }
  return maintenance.query(sql);
}

/**
 * Returns the name of the copy. Copies the database's files, which takes a third of the time that a copy through the
 * log takes, but fails while the database has connections.
 */
export async function copyOfDatabase(name: string, template: string): Promise<string> {
  const copy = `${name}_${randomUUID().replaceAll('-', '')}`;
  const nodes = inject('nodes')[name];
  if (nodes) await copyOnNodes(nodes, copy, template);
  else await maintain(`create database ${copy} template ${template} strategy file_copy`);
  return copy;
}

/**
 * Frees the memory of databases that no test uses any more. On a disk they are kept until the end of the run, at no
 * cost.
 */
export async function dropDatabases(targets: readonly ConnectionTarget[]): Promise<void> {
  if (!inject('isInMemory')) return;
  for (const { dbName } of targets) await maintain(`drop database if exists ${dbName} with (force)`);
}

/** Close it after the test. */
export async function freshDatabase(definition: SubgraphDefinition): Promise<Database> {
  return openDatabaseOf(definition, await freshTarget(definition.name));
}

export interface EmptyDatabase extends Database {
  /** Ends its connections and keeps its rows, for a test that copies its files. */
  disconnect(): Promise<void>;
}

/** Emptied databases of this worker that no test uses, by subgraph. */
const emptied = new Map<string, Reusable[]>();

/**
 * A database as good as a fresh one. When it is closed, it is emptied and kept with its connections for the next test,
 * which costs much less than another copy.
 */
export async function emptyDatabase(definition: SubgraphDefinition): Promise<EmptyDatabase> {
  const { name } = definition;
  const database = emptied.get(name)?.pop() ?? (await reusable(await freshDatabase(definition)));
  let closing: Promise<void> | undefined;
  const close = async () => {
    if (isOnNodes() || !(await deleteRows(database))) return database.close();
    emptied.set(name, [...(emptied.get(name) ?? []), database]);
  };
  return { ...database, close: () => (closing ??= close()), disconnect: () => (closing ??= database.close()) };
}

/** Opens a database as a start does. */
export async function openDatabaseOf(definition: SubgraphDefinition, target: ConnectionTarget): Promise<Database> {
  const database = await openSubgraphDatabase(definition, target);
  await markDistribution(database);
  return database;
}
