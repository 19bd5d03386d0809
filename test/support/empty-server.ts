/** An empty database for each subgraph on the tests' server, by the setting that names it. */
import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { SUBGRAPH_NAMES } from '#schema/subgraph-names.ts';
import { withClient } from '#platform/database/prepare-database.ts';
import { urlOf } from './running-service.ts';

export async function emptyServer(): Promise<Record<string, string>> {
  const server = inject('server');
  const databases = SUBGRAPH_NAMES.map(async (name) => {
    const dbName = `empty_${name}_${randomUUID().replaceAll('-', '')}`;
    await withClient({ ...server, dbName: 'postgres' }, (client) =>
      client.query(`create database ${dbName} strategy file_copy`),
    );
    return [`${name.toUpperCase()}_DATABASE_URL`, urlOf({ ...server, dbName })] as const;
  });
  return Object.fromEntries(await Promise.all(databases));
}
