/** Starts the server so that it cannot outlive this process, waits until it accepts connections, and stops it. */
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
 * The shell becomes the server (`exec`), so its process id is the server's. First it starts a watcher that reads a
 * pipe held open only by this process. A line on the pipe means that the server has stopped. End of file without a
 * line means that this process died, even by `kill -9`, so the watcher stops the server. The watcher is forked twice,
 * so it is not a child of the server.
 */
const WATCHED_START = `
(trap '' INT TERM HUP; (read -r farewell <&3 || kill -INT $$) &)
exec "$@" 3<&-
`;
/** The operating system's message, as it appears in the server's log. */
const NO_SPACE = 'No space left on device';
const LOOK_MILLISECONDS = 5;
const PATIENCE_MILLISECONDS = 5_000;
const START_MILLISECONDS_MAX = 600_000;
const FAST_MILLISECONDS_MAX = 30_000;

interface Launched {
  readonly process: ChildProcess;
  readonly log: ServerLog;
  /** Describes how the server ended. Resolves once, never rejects. */
  readonly ended: Promise<string>;
  hasEnded(): boolean;
}

/** A server that accepts connections. */
export interface RunningServer {
  /** Describes how the server ended, whoever stopped it. Resolves once, never rejects. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/** Throws with the end of the server's log if the server does not start. */
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
    // Use a separate process group: Ctrl-C must reach only this process, which stops the server last.
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
  // Do not keep this process alive. The server ends with it.
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

/** The server did not start because its disk is full. */
export class DiskFullError extends Error {}

function didNotStart(server: Launched, cluster: string, how: string): Error {
  if (server.log.tail().includes(NO_SPACE))
    return new DiskFullError(
      `The disk of ${cluster} is full: PostgreSQL cannot start. Free some space there, then start the service again; nothing that was accepted is lost`,
    );
  return new Error(`PostgreSQL did not start on ${cluster} (${how}). Its log ends with:\n${server.log.tail()}`);
}

/** Fast shutdown. After 30 seconds an immediate one, from which the next start recovers. */
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
