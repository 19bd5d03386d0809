/** Makes the data directory when it is missing, so that everything after it works on one real path. */
import { chmodSync, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs';

/** For group and others: to pass through, not to list. */
const PASSABLE = 0o011;

/**
 * The real path of `path`. When we are root, a directory that is new, or still as empty as one, is opened for the
 * server's account to pass through (`mktemp -d` makes private ones); what has something in it keeps its permissions.
 */
export function openDataDirectory(path: string): string {
  mkdirSync(path, { recursive: true });
  if (process.getuid?.() === 0 && readdirSync(path).length === 0) {
    chmodSync(path, (statSync(path).mode & 0o7777) | PASSABLE);
  }
  return realpathSync(path);
}
