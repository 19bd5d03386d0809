/**
 * Locations of the six databases: configured URLs, or the embedded PostgreSQL, which is started if no process runs
 * it.
 */
import { existsSync, mkdirSync } from 'node:fs';
import type { Config } from '#platform/config.ts';
import { type ConnectionTarget, targetOfUrl } from '#platform/database/connections/connection-target.ts';
import { createDatabase, requireVersion } from '#platform/database/prepare-database.ts';
import { findCluster } from '../packages/embedded-postgres/choose-location.ts';
import { UnusableDirectoryError } from '../packages/embedded-postgres/hold-data-directory.ts';
import { diskSpace, isAlmostFull } from '../packages/embedded-postgres/disk-space.ts';
import {
  type EmbeddedPostgres,
  findRunning,
  startEmbeddedPostgres,
} from '../packages/embedded-postgres/start-embedded-postgres.ts';
import { StartError } from '#platform/start-error.ts';
import { connectionsOf } from './workers/worker-settings.ts';

export interface DatabaseServers {
  /** Creates the database if it is missing. */
  targetOf(name: string): Promise<ConnectionTarget>;
  /** Stops the server if this process has started it. */
  close(): Promise<void>;
}

interface Options {
  readonly progress: (message: string) => void;
  /** The embedded server ended and could not be started again. */
  readonly onLost?: (error: Error) => void;
  /** Called when the start only waits for a program of the embedded server, or for a response. */
  readonly onWait?: () => void;
  /** True if another process may be running the embedded server: it is then used, and not stopped by this one. */
  readonly mayShare?: boolean;
  /** True if a missing embedded database is an error: a command that reads it was given the wrong `DATA_DIR`. */
  readonly isExpected?: boolean;
}

/** Throws a {@link StartError} with a sentence for each server that is unusable or too old. */
export async function locateDatabases(
  names: readonly string[],
  config: Config,
  { progress, onLost = () => {}, onWait = () => {}, mayShare = false, isExpected = false }: Options,
): Promise<DatabaseServers> {
  const embedded = names.every((name) => config.databaseUrls[name] ?? config.databaseUrl)
    ? null
    : await embeddedServer(config, { progress, onLost, onWait, mayShare, isExpected });
  onWait();
  try {
    await requireServers(names, config);
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
  return {
    targetOf: (name) => target(name, config, embedded),
    close: async () => embedded?.stop(),
  };
}

async function embeddedServer(
  config: Config,
  { progress, onLost, onWait, mayShare, isExpected }: Required<Options>,
): Promise<EmbeddedPostgres> {
  const { dataDirectory } = config;
  if (isExpected && !(existsSync(dataDirectory) && findCluster(dataDirectory)))
    throw new StartError(`There is no database in ${dataDirectory}: set DATA_DIR to the directory of the service`);
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  const running = mayShare ? findRunning(dataDirectory) : undefined;
  return running
    ? { ...running, stop: async () => {} }
    : startEmbeddedPostgres({
        dataDirectory,
        connections: connectionsOf(config),
        onProgress: progress,
        onLost,
        onSpawn: onWait,
      }).catch((error: unknown) => {
        throw error instanceof UnusableDirectoryError ? new StartError(error.message, error) : error;
      });
}

/** Ends the process with the reason, so that its supervisor sees it. A process without its database is of no use. */
export function endWithoutDatabase(error: Error): never {
  process.stderr.write(`The database could not be started again; the service ends. ${error.message}\n`);
  process.exit(1);
}

/** Checks all external servers. */
async function requireServers(names: readonly string[], config: Config): Promise<void> {
  const answers = await Promise.allSettled(
    names.map(async (name) => {
      const server = ownServer(name, config);
      if (server) await requireVersion(name, server);
    }),
  );
  const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [(answer.reason as Error).message] : []));
  if (errors.length > 0) throw new StartError(errors.join('\n'));
}

/**
 * A database on the same server that exists before ours does: our own URL, or the maintenance database. `null`:
 * embedded.
 */
function ownServer(name: string, { databaseUrls, databaseUrl }: Config): ConnectionTarget | null {
  const ownUrl = databaseUrls[name] ?? null;
  if (ownUrl !== null) return targetOfUrl(ownUrl);
  return databaseUrl === null
    ? null
    : targetOfUrl(databaseUrl, targetOfUrl(databaseUrl).dbName || MAINTENANCE_DATABASE);
}

const MAINTENANCE_DATABASE = 'postgres';

async function target(
  name: string,
  config: Config,
  embedded: Omit<EmbeddedPostgres, 'stop'> | null,
): Promise<ConnectionTarget> {
  const ownUrl = config.databaseUrls[name] ?? null;
  if (ownUrl !== null) return targetOfUrl(ownUrl);
  const found =
    config.databaseUrl !== null
      ? targetOfUrl(config.databaseUrl, name)
      : {
          host: embedded?.host ?? '',
          port: embedded?.port ?? 0,
          user: embedded?.user ?? '',
          password: embedded?.password ?? '',
          dbName: name,
          ...(embedded && {
            isAlmostFull: () => isAlmostFull(diskSpace(embedded.dataDirectory)),
            freeBytes: () => diskSpace(embedded.dataDirectory).freeBytes,
          }),
        };
  await createDatabase(found, ownServer(name, config)?.dbName ?? MAINTENANCE_DATABASE);
  return found;
}
