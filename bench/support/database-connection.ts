/** Connections of the benchmark's own to the embedded server, as its superuser and past everything of our own. */
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
  // The server may be gone before we are: its end is no news then.
  client.on('error', () => {});
  await client.connect();
  return { client, close: undoLater(() => client.end()) };
}

/** For processes that are told their database by a URL. */
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
