/** A temporary `DATA_DIR`, removed afterwards along with everything that the service stored elsewhere for it. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { undoLater } from './cleanup.ts';

export interface DataDirectory {
  readonly path: string;
  remove(): Promise<void>;
}

export function temporaryDataDirectory(): DataDirectory {
  const path = mkdtempSync(join(tmpdir(), 'books-bench-'));
  const remove = undoLater(() => {
    const location = databaseLocation(path);
    if (location !== path) rmSync(location, { recursive: true, force: true, maxRetries: 5 });
    rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  });
  return { path, remove };
}

/** Actual location of the cluster and its socket. */
export function databaseLocation(dataDirectory: string): string {
  const file = join(dataDirectory, 'postgres-location');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : dataDirectory;
}
