/** Directory for files that the server's account needs if it cannot reach the data directory or the checkout. */
import { chmodSync, mkdirSync, realpathSync, statSync } from 'node:fs';

const CANDIDATES = ['/var/lib/embedded-postgres', '/var/tmp/embedded-postgres'];

/**
 * Only for root. The directory is persistent, owned by root and traversable. Only root may write to it, since binaries
 * in it are executed.
 */
export function openSharedDirectory(): string {
  for (const directory of CANDIDATES) {
    try {
      if (mkdirSync(directory, { recursive: true }) !== undefined) chmodSync(directory, 0o755);
      const { uid, mode } = statSync(directory);
      if (uid === 0 && (mode & 0o022) === 0 && (mode & 0o001) !== 0) return realpathSync(directory);
    } catch {
      // Read-only file system: try the next candidate.
    }
  }
  throw new Error(
    `No directory for the database: neither ${CANDIDATES.join(' nor ')} is owned by root and accessible to other accounts. ` +
      'Choose a DATA_DIR that other accounts can access, start as an ordinary user, or set DATABASE_URL.',
  );
}
