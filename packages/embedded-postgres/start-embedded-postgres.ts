/**
 * An embedded database: a real PostgreSQL 18, started, supervised and stopped by this process.
 *
 * It listens only on a Unix socket, runs under an unprivileged account even if this process is root, and ends with this
 * process however that ends. Its files are in one directory (`operator.md`, `DATA_DIR`):
 *
 * | Name | Content |
 * |---|---|
 * | `postgres/` | the cluster |
 * | `postgres-socket/` | its socket |
 * | `postgres.log`, `postgres.log.1` | its log |
 * | `postgres-password` | the superuser's password, mode 0600 |
 * | `postgres.lock`, `postgres.owner` | lock of the process that runs it, and that process's id |
 * | `ballast` | 64 MiB, deleted to make room if the disk is full |
 * | `postgres-location` | location of the cluster, if it had to be created elsewhere |
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
import { giveUpBallast, holdBallast } from './disk-space.ts';
import { DiskFullError, launchServer, type RunningServer } from './launch-server.ts';
import { prepareBinaries } from './prepare-binaries.ts';
import { serverSettings } from './server-settings.ts';
import { stopOrphan } from './stop-orphan.ts';
import { randomBytes } from './random.ts';
import { superviseServer } from './supervise-server.ts';

/** Systems limit socket paths to 104 to 108 bytes, and the socket's name takes 14. */
const PATH_BYTES_MAX = 85;

/**
 * Mode of the data directory. If the server has its own account, its group may traverse the directory but not list it.
 */
const PRIVATE = 0o700;
const PASSABLE_BY_GROUP = 0o710;
/** Mode set by earlier versions: any account may traverse the directory. */
const PASSABLE_BY_ALL = 0o711;

export interface EmbeddedPostgres {
  /** Directory of the socket, used as host by clients. */
  readonly host: string;
  /** Part of the socket's name. No TCP port is opened. */
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Actual directory of the cluster, its socket and its log; not the requested one if that was unusable. */
  readonly dataDirectory: string;
  /** Fast shutdown: rolls back open transactions. Resolves once the server has ended. */
  stop(): Promise<void>;
}

const USER = 'postgres';
const PORT = 5432;

/**
 * Finds the server that another process is running on `dataDirectory`, for a second client such as a backup. Returns
 * undefined if none is running. Throws if its password cannot be read.
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
 * Starts the server on `dataDirectory`, which is initialized if it is new. An orphan of an earlier process is stopped first.
 *
 * `durable: false` trades crash safety for speed, for tests only. `onProgress` receives readable messages about slow steps and
 * unexpected locations. Throws an `Error` that says what to do, with the end of the server's log if that helps, for example if
 * another process already runs the server of this directory.
 *
 * A server that ends unexpectedly is restarted. If that fails, `onLost` is called with the reason: the process has lost its
 * database and should end. `onSpawn` is called when one of the server's programs starts and the caller can only wait.
 */
export async function startEmbeddedPostgres(options: {
  dataDirectory: string;
  durable?: boolean;
  /** Maximum number of connections. Default and minimum: 200. */
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
    const launchOnce = () =>
      launchServer({
        binaries,
        cluster,
        account,
        onProgress,
        logFile: join(location, 'postgres.log'),
        settings: { ...settings, port: String(PORT), unix_socket_directories: socketDirectory },
      });
    const launch = (): Promise<RunningServer> =>
      launchOnce().catch((error: unknown) => {
        if (!(error instanceof DiskFullError) || !giveUpBallast(location)) throw error;
        onProgress(
          'The disk is full. PostgreSQL recovers in the space that the ballast file kept free. Free some disk space.',
        );
        return launchOnce();
      });
    const first = await spawned(launch());
    if (durable) holdBallast(location);
    const server = superviseServer(first, {
      onProgress,
      onLost,
      async relaunch() {
        // Clean up after the dead server: processes, PID file, socket.
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

/** Creates the data directory if necessary, and returns its real path. */
function openDataDirectory(path: string): { readonly dataDirectory: string; readonly isEmpty: boolean } {
  mkdirSync(path, { recursive: true, mode: PRIVATE });
  return { dataDirectory: realpathSync(path), isEmpty: readdirSync(path).length === 0 };
}

/**
 * Closes the data directory to other accounts; the group of `account`, which runs the server, may traverse it. A
 * non-empty directory with permissions that this package never sets keeps them: someone chose them.
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
    // Mount without owners: the cluster is created elsewhere.
  }
}

/** Directory next to the cluster, or in `/tmp` if its path is too long. The same at every start, so none accumulate. */
function socketDirectoryOf(location: string): string {
  const nextToIt = join(location, 'postgres-socket');
  return Buffer.byteLength(nextToIt) <= PATH_BYTES_MAX
    ? nextToIt
    : join('/tmp', `postgres-${createHash('sha256').update(location).digest('hex').slice(0, 16)}`);
}

/**
 * Recreates the socket directory, owned by the server's account: the process id in an old lock file may belong to
 * another process by now.
 */
function prepareSocketDirectory(location: string, account: Account | undefined): string {
  const directory = socketDirectoryOf(location);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { mode: 0o700 });
  if (account) chownSync(directory, account.uid, account.gid);
  return directory;
}

/**
 * The superuser's password: generated once, stored in the data directory and readable only by its owner. Throws if a
 * cluster exists without its password, since nobody could connect.
 */
function superuserPassword(dataDirectory: string, clusterExists: boolean): string {
  const file = join(dataDirectory, 'postgres-password');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  if (clusterExists)
    throw new Error(`The database in ${dataDirectory} exists, but its password file ${file} is missing.`);
  const password = randomBytes(24).toString('base64url');
  writeFileSync(file, `${password}\n`, { mode: 0o600 });
  return password;
}
