/**
 * Location of the cluster: normally the data directory. If this process is root and the server's account cannot reach
 * the data directory or own files there (a checkout under a 0700 `/root`, a mount without owners), the cluster is
 * created elsewhere. A file in the data directory then records its location.
 */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { randomBytes } from './random.ts';
import type { Account } from './choose-account.ts';
import { openSharedDirectory } from './open-shared-directory.ts';
import { runAsAccount } from './run-as-account.ts';

export interface FoundCluster {
  readonly location: string;
  /** Real path, as shown by the server's processes. */
  readonly cluster: string;
}

/**
 * Finds the cluster of an earlier start. Throws if its recorded location is gone, so that no empty database replaces
 * it.
 */
export function findCluster(dataDirectory: string): FoundCluster | undefined {
  const location = recordedLocation(dataDirectory) ?? dataDirectory;
  if (!existsSync(location)) {
    throw new Error(
      `The database of ${dataDirectory} was stored in ${location}, which no longer exists. ` +
        `Restore it, or delete ${locationFile(dataDirectory)} to start with an empty database.`,
    );
  }
  const cluster = join(location, 'postgres');
  return existsSync(cluster) ? { location, cluster: realpathSync(cluster) } : undefined;
}

/** Chooses the directory of the cluster, its socket and its log, and creates it if necessary. */
export async function chooseLocation({
  dataDirectory,
  found,
  account,
  onProgress,
}: {
  dataDirectory: string;
  found: FoundCluster | undefined;
  account: Account | undefined;
  onProgress: (message: string) => void;
}): Promise<string> {
  const preferred = found?.location ?? recordedLocation(dataDirectory) ?? dataDirectory;
  if (!account) {
    if (found) assertOurs(found);
    return preferred;
  }
  if (await canHoldData(preferred, account)) return preferred;
  if (found) {
    throw new Error(
      `The account ${account.name}, which runs PostgreSQL, cannot access the database in ${found.location}. ` +
        `Grant it access to that directory and its parents (chmod g+x for its group, or o+x).`,
    );
  }
  const location = join(openSharedDirectory(), `data-${randomBytes(6).toString('hex')}`);
  mkdirSync(location);
  chmodSync(location, 0o711);
  writeFileSync(locationFile(dataDirectory), `${location}\n`, { mode: 0o600 });
  onProgress(
    `The account ${account.name}, which runs PostgreSQL, cannot use ${dataDirectory}: its database is in ${location}.`,
  );
  return location;
}

function locationFile(dataDirectory: string): string {
  return join(dataDirectory, 'postgres-location');
}

function recordedLocation(dataDirectory: string): string | undefined {
  const note = locationFile(dataDirectory);
  return existsSync(note) ? readFileSync(note, 'utf8').trim() : undefined;
}

/** A user other than root can only run its own cluster. */
function assertOurs(found: FoundCluster): void {
  try {
    readdirSync(found.cluster);
  } catch (error) {
    throw new Error(
      `The database in ${found.location} belongs to another account. Start as root or as its owner, or choose another DATA_DIR.`,
      { cause: error },
    );
  }
}

/**
 * True if an account can keep data in a directory. Tested by creating a directory there as root: the account must be
 * able to reach, own and write it. File modes would not show the limits of mounts.
 */
async function canHoldData(directory: string, account: Account): Promise<boolean> {
  const probe = mkdtempSync(join(directory, 'postgres-probe-'));
  try {
    chownSync(probe, account.uid, account.gid);
    const attempt = 'test -O "$1" && mkdir -m 700 "$1/inner" && test -w "$1/inner"';
    return (await runAsAccount(account, ['/bin/sh', '-c', attempt, 'sh', probe])).exitCode === 0;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  } finally {
    rmSync(probe, { recursive: true, force: true });
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'chown';
}
