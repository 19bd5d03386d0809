/** Where the server's socket is: next to the cluster, or in `/tmp` where the path would be too long. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** Systems take 104 to 108 bytes, of which the socket's own name needs 14. */
const PATH_BYTES_MAX = 85;

/** The name in `/tmp` is the same at every start, so nothing piles up there. */
export function socketDirectoryOf(location: string): string {
  const nextToIt = join(location, 'postgres-socket');
  return Buffer.byteLength(nextToIt) <= PATH_BYTES_MAX
    ? nextToIt
    : join('/tmp', `postgres-${createHash('sha256').update(location).digest('hex').slice(0, 16)}`);
}
