/**
 * The database of a machine that has none: a real PostgreSQL 18, started, watched and stopped by this process.
 *
 * It listens on a Unix socket only, runs under an unprivileged account even when we are root, and goes down with us
 * however we die. What it keeps lies in one directory (`operator.md`, `DATA_DIR`):
 *
 * | Name | What |
 * |---|---|
 * | `postgres/` | the cluster |
 * | `postgres-socket/` | its socket |
 * | `postgres.log`, `postgres.log.1` | what it had to say |
 * | `postgres-password` | the superuser's password, mode 0600 |
 * | `postgres.lock`, `postgres.owner` | held by the one process that may run it, and that process's id |
 * | `postgres-location` | only when the cluster had to live elsewhere: where |
 */
import { join } from 'node:path';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { type Account, chooseAccount } from './choose-account.ts';
import { chooseLocation, findCluster } from './choose-location.ts';
import { holdDataDirectory, isHeld } from './hold-data-directory.ts';
import { initializeCluster } from './initialize-cluster.ts';
import { launchServer } from './launch-server.ts';
import { prepareBinaries } from './prepare-binaries.ts';
import { serverSettings } from './server-settings.ts';
import { stopOrphan } from './stop-orphan.ts';
import { randomBytes } from './random.ts';
import { superviseServer } from './supervise-server.ts';

/** Systems take 104 to 108 bytes, of which the socket's own name needs 14. */
const PATH_BYTES_MAX = 85;

/** For the owner alone; with an account of its own, the server's group may pass through but not list. */
const PRIVATE = 0o700;
const PASSABLE_BY_GROUP = 0o710;
/** What earlier versions made: any account of the machine may pass through. */
const PASSABLE_BY_ALL = 0o711;

export interface EmbeddedPostgres {
  /** The directory of the socket: what a client takes for its host. */
  readonly host: string;
  /** Part of the socket's name; no TCP port is opened. */
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Where the cluster, its socket and its log really are: the directory asked for, unless it could not serve. */
  readonly dataDirectory: string;
  /** A fast shutdown: open transactions are rolled back, what was committed stays. Resolves once the server is gone. */
  stop(): Promise<void>;
}

const USER = 'postgres';
const PORT = 5432;

/**
 * The server of `dataDirectory` that another process runs at this moment: for a second client on the same machine, such as a backup.
 * `undefined`: no process runs it. Throws when its password is not ours to read.
 */
export function findRunning(dataDirectory: string): Omit<EmbeddedPostgres, 'stop'> | undefined {
  if (!existsSync(dataDirectory) || !isHeld(dataDirectory)) return undefined;
  const location = findCluster(dataDirectory)?.location;
  return location === undefined
    ? undefined
    : {
        host: socketDirectoryOf(location),
        port: PORT,
        user: USER,
        password: superuserPassword(dataDirectory, true),
        dataDirectory: location,
      };
}

/**
 * Starts the server on `dataDirectory`, initializing it when it is new. An orphan of an earlier life is stopped first.
 *
 * `durable: false` gives up safety against a power cut for speed: for tests only. `onProgress` is told, in sentences
 * for a person, what takes long or lands in an unexpected place. Throws an `Error` whose message says what to do, with
 * the end of the server's log where that helps; also when another process already runs this directory's server.
 *
 * A server that ends by itself is started again. Where that cannot be done, `onLost` is told why: the process has no database
 * any more, and should end. `onSpawn` is told when a program of the server's is at work, so that there is nothing to do but wait.
 */
export async function startEmbeddedPostgres(options: {
  dataDirectory: string;
  durable?: boolean;
  /** That may be open at once. Default and least 200. */
  connections?: number;
  onProgress?: (message: string) => void;
  onLost?: (error: Error) => void;
  onSpawn?: () => void;
}): Promise<EmbeddedPostgres> {
  const { durable = true, connections = 0, onProgress = () => {}, onLost = () => {}, onSpawn = () => {} } = options;
  const spawned = <Result>(work: Promise<Result>): Promise<Result> => {
    onSpawn();
    return work;
  };
  const { dataDirectory, isEmpty } = openDataDirectory(options.dataDirectory);
  const hold = holdDataDirectory(dataDirectory);
  try {
    const found = findCluster(dataDirectory);
    const account = chooseAccount(found?.cluster);
    const isElsewhere = found !== undefined && found.location !== dataDirectory;
    closeDataDirectory(dataDirectory, isEmpty, isElsewhere ? undefined : account);
    const location = await chooseLocation({ dataDirectory, found, account, onProgress });
    const binaries = await prepareBinaries({ account, location, onProgress });
    const password = superuserPassword(dataDirectory, found !== undefined);
    const settings = serverSettings({ durable, connections });

    if (found) await stopOrphan(found.cluster, onProgress);
    const cluster =
      found?.cluster ??
      (await spawned(initializeCluster({ location, binaries, account, user: USER, password, durable, onProgress })));

    const socketDirectory = prepareSocketDirectory(location, account);
    const launch = () =>
      launchServer({
        binaries,
        cluster,
        account,
        onProgress,
        logFile: join(location, 'postgres.log'),
        settings: { ...settings, port: String(PORT), unix_socket_directories: socketDirectory },
      });
    const server = superviseServer(await spawned(launch()), {
      onProgress,
      onLost,
      async relaunch() {
        // What the dead server left behind: processes, its file, its socket.
        await stopOrphan(cluster, () => {});
        prepareSocketDirectory(location, account);
        return launch();
      },
    });

    return {
      host: socketDirectory,
      port: PORT,
      user: USER,
      password,
      dataDirectory: location,
      async stop() {
        await server.stop();
        hold.release();
      },
    };
  } catch (error) {
    hold.release();
    throw error;
  }
}

/** Makes the data directory when it is missing, so that everything after it works on one real path. */
function openDataDirectory(path: string): { readonly dataDirectory: string; readonly isEmpty: boolean } {
  mkdirSync(path, { recursive: true, mode: PRIVATE });
  return { dataDirectory: realpathSync(path), isEmpty: readdirSync(path).length === 0 };
}

/**
 * Closes our own data directory to other accounts, except that the group of `account`, which runs the server, passes through. A directory
 * that has something in it and permissions that we never set keeps them: someone chose them.
 */
function closeDataDirectory(dataDirectory: string, isEmpty: boolean, account: Account | undefined): void {
  const { uid, mode } = statSync(dataDirectory);
  const isOfOurs = isEmpty || [PRIVATE, PASSABLE_BY_ALL].includes(mode & 0o7777);
  if (uid !== process.getuid?.() || !isOfOurs) return;
  if (account === undefined) return chmodSync(dataDirectory, PRIVATE);
  try {
    chownSync(dataDirectory, uid, account.gid);
    chmodSync(dataDirectory, PASSABLE_BY_GROUP);
  } catch {
    // A mount without owners: the cluster is put elsewhere.
  }
}

/** Next to the cluster, or in `/tmp` where the path would be too long: the same at every start, so nothing piles up there. */
function socketDirectoryOf(location: string): string {
  const nextToIt = join(location, 'postgres-socket');
  return Buffer.byteLength(nextToIt) <= PATH_BYTES_MAX
    ? nextToIt
    : join('/tmp', `postgres-${createHash('sha256').update(location).digest('hex').slice(0, 16)}`);
}

/** Belongs to the server's account alone, and is made again: a socket left behind names a process id that may be a stranger's by now. */
function prepareSocketDirectory(location: string, account: Account | undefined): string {
  const directory = socketDirectoryOf(location);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { mode: 0o700 });
  if (account) chownSync(directory, account.uid, account.gid);
  return directory;
}

/**
 * The superuser's password: made once, kept next to the database, readable by us alone.
 *
 * Throws when a cluster exists but its password is gone: no one could connect.
 */
function superuserPassword(dataDirectory: string, clusterExists: boolean): string {
  const file = join(dataDirectory, 'postgres-password');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  if (clusterExists)
    throw new Error(`The database in ${dataDirectory} is there, but its password is not: ${file} is missing.`);
  const password = randomBytes(24).toString('base64url');
  writeFileSync(file, `${password}\n`, { mode: 0o600 });
  return password;
}
