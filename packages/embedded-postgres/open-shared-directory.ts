/** The place for what the server's account has to reach although it cannot reach the data directory or the checkout. */
import { chmodSync, mkdirSync, realpathSync, statSync } from 'node:fs';

const CANDIDATES = ['/var/lib/embedded-postgres', '/var/tmp/embedded-postgres'];

/** Only for root. Lasting, root's own, open to be passed through; binaries in it are run, so no one else may write. */
export function openSharedDirectory(): string {
  for (const directory of CANDIDATES) {
    try {
      if (mkdirSync(directory, { recursive: true }) !== undefined) chmodSync(directory, 0o755);
      const { uid, mode } = statSync(directory);
      if (uid === 0 && (mode & 0o022) === 0 && (mode & 0o001) !== 0) return realpathSync(directory);
    } catch {
      // A read-only system: the next candidate.
    }
  }
  throw new Error(
    `No directory for the database: neither ${CANDIDATES.join(' nor ')} can be root's own and open to be passed through. ` +
      'Choose a DATA_DIR that other accounts can reach, start as an ordinary user, or set DATABASE_URL.',
  );
}
