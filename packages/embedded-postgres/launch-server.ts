/** Starts the server so that it cannot outlive us, waits until it takes connections, and stops it. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { elapsedMilliseconds } from './clock.ts';
import type { Account } from './choose-account.ts';
import { readPostmasterFile } from './postmaster-file.ts';
import { accountOptions, explain } from './run-as-account.ts';
import { openServerLog } from './server-log.ts';
import type { ServerLog } from './server-log.ts';

/**
 * The shell becomes the server (`exec`), so its process id is the server's. Before that it leaves a watcher, which
 * reads a pipe that only we hold open: a line says that the server is down, an end without one that we died, in any
 * way, even by `kill -9`. The watcher is detached twice, so that it is no child of the server's.
 */
const WATCHED_START = `
(trap '' INT TERM HUP; (read -r farewell <&3 || kill -INT $$) &)
exec "$@" 3<&-
`;
const LOOK_MILLISECONDS = 5;
const PATIENCE_MILLISECONDS = 5_000;
const START_MILLISECONDS_MAX = 600_000;
const FAST_MILLISECONDS_MAX = 30_000;

interface Launched {
  readonly process: ChildProcess;
  readonly log: ServerLog;
  /** How it ended: resolves once, never rejects. */
  readonly ended: Promise<string>;
  hasEnded(): boolean;
}

/** A server that takes connections. */
export interface RunningServer {
  /** How it ended, no matter who ended it: resolves once, never rejects. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/** Throws, with the end of the server's log, when it does not come up. */
export async function launchServer(options: {
  binaries: string;
  cluster: string;
  account: Account | undefined;
  settings: Readonly<Record<string, string>>;
  logFile: string;
  onProgress: (message: string) => void;
}): Promise<RunningServer> {
  const server = launch(options);
  try {
    await becomeReady(server, options.cluster, options.onProgress);
  } catch (error) {
    await stop(server);
    throw error;
  }
  return { ended: server.ended, stop: () => stop(server) };
}

function launch({ binaries, cluster, account, settings, logFile }: Parameters<typeof launchServer>[0]): Launched {
  const program = join(binaries, 'bin', 'postgres');
  const parameters = [
    '-D',
    cluster,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  const log = openServerLog(logFile);
  const child = spawn('/bin/sh', ['-c', WATCHED_START, 'sh', program, ...parameters], {
    ...accountOptions(account),
    stdio: ['ignore', log.descriptor, log.descriptor, 'pipe'],
    // A process group of its own: Ctrl-C is for us, and we stop the server last.
    detached: true,
  });
  const pipe = child.stdio[3] as Writable & { unref?: () => void };
  pipe.on('error', () => {});
  let hasEnded = false;
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(explain(error, '/bin/sh', account).message));
    child.once('exit', (code, name) => resolve(name === null ? `exit code ${code}` : `signal ${name}`));
  }).then((how) => {
    hasEnded = true;
    pipe.end('farewell\n');
    return how;
  });
  // A process that has nothing left to do may end, and then takes the server with it.
  child.unref();
  pipe.unref?.();
  return { process: child, log, ended, hasEnded: () => hasEnded };
}

async function becomeReady(server: Launched, cluster: string, onProgress: (message: string) => void): Promise<void> {
  const begin = elapsedMilliseconds();
  let isPatient = false;
  for (;;) {
    if (server.hasEnded()) throw didNotStart(server, cluster, await server.ended);
    const status = readPostmasterFile(cluster);
    if (status?.isReady && status.pid === server.process.pid) return;
    const waited = elapsedMilliseconds() - begin;
    if (waited > START_MILLISECONDS_MAX) throw didNotStart(server, cluster, 'still not ready');
    if (waited > PATIENCE_MILLISECONDS && !isPatient) {
      isPatient = true;
      onProgress('PostgreSQL is recovering from an interrupted run; this can take minutes.');
    }
    await delay(LOOK_MILLISECONDS);
  }
}

function didNotStart(server: Launched, cluster: string, how: string): Error {
  return new Error(`PostgreSQL did not start on ${cluster} (${how}). Its log ends with:\n${server.log.tail()}`);
}

/** Fast shutdown; immediate, which the next start recovers from, if that takes over half a minute. */
async function stop(server: Launched): Promise<void> {
  if (!server.hasEnded()) {
    server.process.ref();
    server.process.kill('SIGINT');
    const escalation = setTimeout(() => server.process.kill('SIGQUIT'), FAST_MILLISECONDS_MAX);
    await server.ended;
    clearTimeout(escalation);
  }
  server.log.close();
}
