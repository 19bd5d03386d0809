/** Whether an account can live in a directory: tried for real, since modes alone do not tell about mounts. */
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Account } from './choose-account.ts';
import { runAsAccount } from './run-as-account.ts';

/** True when a directory that we make there (as root) and give to the account is one it can reach, owns and can fill. */
export async function canHoldData(directory: string, account: Account): Promise<boolean> {
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
