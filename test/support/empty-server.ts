/** Five empty databases on the tests' server, by the settings that name them. */
import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { withClient } from '../../platform/database/prepare-database.ts';
import { urlOf } from './running-service.ts';

export async function emptyServer(): Promise<Record<string, string>> {
  const server = inject('server');
  const settings: Record<string, string> = {};
  for (const name of ['identity', 'costing', 'attribution', 'revenue', 'alerting']) {
    const dbName = `empty_${name}_${randomUUID().replaceAll('-', '')}`;
    await withClient({ ...server, dbName: 'postgres' }, (client) => client.query(`create database ${dbName}`));
    settings[`${name.toUpperCase()}_DATABASE_URL`] = urlOf({ ...server, dbName });
  }
  return settings;
}
