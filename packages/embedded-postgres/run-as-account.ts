/** Runs a short command as the server's account and hands back how it ended, whatever the end. */
import { spawn } from 'node:child_process';
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import type { Account } from './choose-account.ts';

/** Nothing of our own environment reaches the server: no secret, no locale, no `PG…` setting. */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** What every child of this folder has in common. `/` is the one directory that any account may be in. */
export function accountOptions(account: Account | undefined): SpawnOptions {
  const identity = account ? { uid: account.uid, gid: account.gid } : {};
  return { cwd: '/', env: ENVIRONMENT, ...identity };
}

/** `exitCode` is null when a signal ended the command; `output` is both streams. Throws when it cannot start at all. */
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

/** Some refusals (a root that may not change its account) are thrown at once instead of told by an event. */
function spawnOrExplain(file: string, parameters: string[], account: Account | undefined): ChildProcess {
  try {
    return spawn(file, parameters, { ...accountOptions(account), stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    throw error instanceof Error ? explain(error, file, account) : error;
  }
}

/** A child that cannot start says only `EPERM` or `ENOENT`: here is what that means. */
export function explain(error: Error, file: string, account: Account | undefined): Error {
  const who = account ? ` as ${account.name}` : '';
  return new Error(
    `${file} cannot be run${who} here (${error.message}). Start as an ordinary user, or set DATABASE_URL.`,
    { cause: error },
  );
}
