/**
 * Two processes on one data directory: the second has to be told, and must never take the first one's live server for
 * an orphan. The hold is a lock of the operating system, which ends with its process however that dies, so there is
 * neither a stale lock to judge nor a process id to mistrust. SQLite is Node's way to such a lock.
 */
import { chmodSync, closeSync, existsSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;
const PRIVATE = 0o600;
/** A process that was just killed lets go a moment after it seems dead. */
const PATIENCE_MILLISECONDS = 1000;

/**
 * Throws, after a second's patience, when another process or another part of this one holds the directory. `release`
 * may be called twice.
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
    // The journal in memory: the lock is all we want, and nothing else is to lie about.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE');
    writeFileSync(ownerFile, `${process.pid}\n`, { mode: PRIVATE });
  } catch (error) {
    release();
    const [problem, remedy] = isBusy(error)
      ? [`The database in ${dataDirectory} is already in use by ${nameOwner(ownerFile)}.`, 'Stop that first']
      : [`The data directory ${dataDirectory} cannot be written by this user.`, 'Start as its owner or as root'];
    throw new Error(`${problem} ${remedy}, or choose another DATA_DIR.`, { cause: error });
  }
  return { release };
}

/** Whether a process holds the directory at this moment. */
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

/** Readable by us alone, also where an earlier version made it: whoever can read the file can hold its lock. */
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
