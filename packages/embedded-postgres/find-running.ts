/** The server of a data directory that another process runs now: for a second client on the same machine, such as a backup. */
import { existsSync, readFileSync } from 'node:fs';
import { findCluster } from './choose-location.ts';
import { isHeld } from './hold-data-directory.ts';
import { socketDirectoryOf } from './socket-directory.ts';
import { passwordFile, PORT, USER } from './superuser.ts';
import type { EmbeddedPostgres } from './start-embedded-postgres.ts';

/** `undefined`: no process runs it. Throws what reading its password threw, when that is not ours to read. */
export function findRunning(dataDirectory: string): Omit<EmbeddedPostgres, 'stop'> | undefined {
  if (!existsSync(dataDirectory) || !isHeld(dataDirectory)) return undefined;
  const location = findCluster(dataDirectory)?.location;
  if (location === undefined) return undefined;
  return {
    host: socketDirectoryOf(location),
    port: PORT,
    user: USER,
    password: readFileSync(passwordFile(dataDirectory), 'utf8').trim(),
    dataDirectory: location,
  };
}
