/** The benchmark's own connections to the embedded server: as its superuser, bypassing our code. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { undoLater } from './cleanup.ts';
import { databaseLocation } from './data-directory.ts';

export interface DatabaseConnection {
  readonly client: Client;
  close(): Promise<void>;
}

const PORT = 5432;

export async function connectDatabase(dataDirectory: string, database: string): Promise<DatabaseConnection> {
  const client = new Client({ ...serverOf(dataDirectory), database });
  // The server may stop before we do, so its disconnect is ignored.
  client.on('error', () => {});
  await client.connect();
  return { client, close: undoLater(() => client.end()) };
}

/** Connection URL for processes that take their database as a URL. */
export function databaseUrl(dataDirectory: string, database: string): string {
  const { host, port, user, password } = serverOf(dataDirectory);
  return `postgresql://${user}:${encodeURIComponent(password)}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
}

function serverOf(dataDirectory: string) {
  const location = databaseLocation(dataDirectory);
  return {
    host: join(location, 'postgres-socket'),
    port: PORT,
    user: 'postgres',
    password: readFileSync(join(location, 'postgres-password'), 'utf8').trim(),
  };
}
