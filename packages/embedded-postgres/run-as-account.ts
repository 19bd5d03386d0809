/** Runs a short command as the server's account and returns how it ended. */
import { spawn } from 'node:child_process';
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import type { Account } from './choose-account.ts';

/** Bytes. More than the memory that a statement on a thousand events needs. */
const KEPT_MEMORY = String(16 * 1024 * 1024);

/**
 * The server does not inherit this process's environment: no secrets, locale or `PG…` settings.
 *
 * By default, glibc returns the memory of each statement to the system, and the next statement faults it in again page
 * by page. On virtual machines that cost a quarter of the server's CPU time under ingestion.
 */
const ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
  MALLOC_TRIM_THRESHOLD_: KEPT_MEMORY,
  MALLOC_MMAP_THRESHOLD_: KEPT_MEMORY,
};

/** Options of all child processes. `/` is the only directory that every account can use. */
export function accountOptions(account: Account | undefined): SpawnOptions {
  const identity = account ? { uid: account.uid, gid: account.gid } : {};
  return { cwd: '/', env: ENVIRONMENT, ...identity };
}

/**
 * `exitCode` is null if a signal ended the command; `output` contains both streams. Throws if the command cannot
 * start.
 */
export async function runAsAccount(
  account: Account | undefined,
  command: readonly [string, ...string[]],
): Promise<{ exitCode: number | null; output: string }> {
  const [file, ...parameters] = command;
  return new Promise((resolve, reject) => {
    const child = spawnOrExplain(file, parameters, account);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.once('error', (error) => reject(explain(error, file, account)));
    child.once('close', (exitCode) => resolve({ exitCode, output }));
  });
}

/** Some failures (root may not change its account) are thrown synchronously instead of emitted. */
function spawnOrExplain(file: string, parameters: string[], account: Account | undefined): ChildProcess {
  try {
    return spawn(file, parameters, { ...accountOptions(account), stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    throw error instanceof Error ? explain(error, file, account) : error;
  }
}

/** Explains a child's `EPERM` or `ENOENT`. */
export function explain(error: Error, file: string, account: Account | undefined): Error {
  const who = account ? ` as ${account.name}` : '';
  return new Error(
    `${file} cannot be run${who} here (${error.message}). Start as an ordinary user, or set DATABASE_URL.`,
    { cause: error },
  );
}
