/**
 * Lock of a data directory: a second process must be refused, and must never mistake the first one's server for an
 * orphan. It is an operating-system lock that ends with its process, so it is never stale and needs no process id.
 * Node offers such locks only through SQLite.
 */
import { chmodSync, closeSync, existsSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;
const PRIVATE = 0o600;
/** Grace period: a killed process may release its lock slightly after it seems dead. */
const PATIENCE_MILLISECONDS = 1000;

/** The data directory cannot be used by this process; the message says what to do. */
export class UnusableDirectoryError extends Error {}

/**
 * Throws an {@link UnusableDirectoryError} if another process, or another part of this one, still holds the directory after a second. `release` may be
 * called twice.
 */
export function holdDataDirectory(dataDirectory: string): { release(): void } {
  const ownerFile = join(dataDirectory, 'postgres.owner');
  let lock: DatabaseSync | undefined;
  const release = () => {
    lock?.close();
    lock = undefined;
  };
  try {
    const file = join(dataDirectory, 'postgres.lock');
    closePrivately(file);
    lock = new DatabaseSync(file, { timeout: PATIENCE_MILLISECONDS });
    // Keep the journal in memory: only the lock is needed, without further files.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE');
    writeFileSync(ownerFile, `${process.pid}\n`, { mode: PRIVATE });
  } catch (error) {
    release();
    const [problem, remedy] = isBusy(error)
      ? [`The database in ${dataDirectory} is already in use by ${nameOwner(ownerFile)}.`, 'Stop that first']
      : [`The data directory ${dataDirectory} is not writable for this user.`, 'Start as its owner or as root'];
    throw new UnusableDirectoryError(`${problem} ${remedy}, or choose another DATA_DIR.`, { cause: error });
  }
  return { release };
}

/** True if a process currently holds the directory. */
export function isHeld(dataDirectory: string): boolean {
  const file = join(dataDirectory, 'postgres.lock');
  if (!existsSync(file)) return false;
  const lock = new DatabaseSync(file);
  try {
    lock.exec('BEGIN IMMEDIATE');
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    lock.close();
  }
}

/** Restricts the file to its owner, even if an earlier version created it: anyone who can read it can lock it. */
function closePrivately(file: string): void {
  closeSync(openSync(file, 'a', PRIVATE));
  if ((statSync(file).mode & 0o777) !== PRIVATE) chmodSync(file, PRIVATE);
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}

function nameOwner(ownerFile: string): string {
  try {
    return `process ${readFileSync(ownerFile, 'utf8').trim()}`;
  } catch {
    return 'another process';
  }
}
