/** Makes the data directory when it is missing, so that everything after it works on one real path. */
import { chmodSync, mkdirSync, realpathSync } from 'node:fs';

/**
 * The real path of `path`. A directory that is created here may be passed through by other accounts (the server's is
 * one, when we are root) but not listed; one that exists keeps the permissions it has.
 */
export function openDataDirectory(path: string): string {
  const created = mkdirSync(path, { recursive: true });
  if (created !== undefined) chmodSync(path, 0o711);
  return realpathSync(path);
}
