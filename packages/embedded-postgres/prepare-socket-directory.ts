/** The directory of the server's socket: beside the cluster, or in `/tmp` where the path would be too long. */
import { createHash } from 'node:crypto';
import { chownSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Account } from './choose-account.ts';

/** Systems take 104 to 108 bytes, of which the socket's own name needs 14. */
const PATH_BYTES_MAX = 85;

/**
 * Belongs to the server's account alone, and is made anew: a socket left behind names a process id that may be a
 * stranger's by now. The name in `/tmp` is the same at every start, so nothing piles up there.
 */
export function prepareSocketDirectory(location: string, account: Account | undefined): string {
  const beside = join(location, 'postgres-socket');
  const directory = Buffer.byteLength(beside) <= PATH_BYTES_MAX
    ? beside
    : join('/tmp', `postgres-${createHash('sha256').update(location).digest('hex').slice(0, 16)}`);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { mode: 0o700 });
  if (account) chownSync(directory, account.uid, account.gid);
  return directory;
}
