/** PostgreSQL 18 or newer: what older servers would say to the first statement that they do not know helps no one. */
import { StartError } from '../start-error.ts';
import { unavailability } from '../unavailability.ts';
import type { ConnectionTarget } from './connection-target.ts';
import { withClient } from './prepare-database.ts';

const VERSION_MIN = 18;

/** Throws a {@link StartError} that names the database and its server when that cannot be used or is too old. */
export async function requireVersion(name: string, target: ConnectionTarget): Promise<void> {
  const server = `${target.host}:${target.port}`;
  const version = await serverVersion(target).catch((error: unknown) => {
    throw new StartError(
      `The database ${name} cannot be used at ${server}: ${unavailability(error)?.cause ?? (error as Error).message}`,
      error,
    );
  });
  if (Number.parseInt(version, 10) >= VERSION_MIN) return;
  throw new StartError(
    `The database ${name} needs PostgreSQL ${VERSION_MIN} or newer: the server at ${server} is ${version}`,
  );
}

function serverVersion(target: ConnectionTarget): Promise<string> {
  return withClient(target, async (client) => {
    const {
      rows: [row],
    } = await client.query<{ server_version: string }>('show server_version');
    return row?.server_version ?? '';
  });
}
