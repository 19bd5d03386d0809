/**
 * Stops a server that outlived its process. Only the holder of the data directory calls this
 * (`hold-data-directory.ts`), so any server still using the directory is an orphan.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { elapsedMilliseconds } from './clock.ts';
import { readPostmasterFile, removePostmasterFile } from './postmaster-file.ts';

const FAST_MILLISECONDS = 30_000;
const IMMEDIATE_MILLISECONDS = 10_000;
const LOOK_MILLISECONDS = 10;

/**
 * Fast shutdown, then an immediate one after 30 seconds; committed data survives both. A remaining `postmaster.pid` is
 * removed: its process is gone, or the id belongs to another process.
 */
export async function stopOrphan(cluster: string, onProgress: (message: string) => void): Promise<void> {
  const postmaster = readPostmasterFile(cluster)?.pid;
  const orphans = findServerProcesses(cluster);
  if (orphans.length > 0) {
    onProgress(`Stopping the PostgreSQL server that an earlier start left running on ${cluster}.`);
    const isWhole = postmaster !== undefined && orphans.includes(postmaster);
    if (isWhole) signal([postmaster], 'SIGINT');
    if (!isWhole || !(await areGone(cluster, FAST_MILLISECONDS))) signal(findServerProcesses(cluster), 'SIGQUIT');
    if (!(await areGone(cluster, IMMEDIATE_MILLISECONDS))) {
      const left = findServerProcesses(cluster).join(', ');
      throw new Error(`A PostgreSQL server from an earlier start is still running on ${cluster}: processes ${left}.`);
    }
  }
  removePostmasterFile(cluster);
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}

async function areGone(cluster: string, withinMilliseconds: number): Promise<boolean> {
  const end = elapsedMilliseconds() + withinMilliseconds;
  while (findServerProcesses(cluster).length > 0) {
    if (elapsedMilliseconds() > end) return false;
    await delay(LOOK_MILLISECONDS);
  }
  return true;
}

/**
 * Process ids of a cluster's server, identified by working directory and not only by name. Includes the postmaster's
 * children on Linux; elsewhere only the postmaster.
 */
export function findServerProcesses(cluster: string): number[] {
  if (process.platform !== 'linux') return findPostmaster(cluster);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && worksIn(name, cluster))
    .map(Number);
}

/** The name must match too, since a shell or editor may use the directory. */
function worksIn(pid: string, cluster: string): boolean {
  try {
    return (
      readlinkSync(`/proc/${pid}/cwd`) === cluster && readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres'
    );
  } catch {
    // The process has ended, or belongs to another account.
    return false;
  }
}

function findPostmaster(cluster: string): number[] {
  const pid = readPostmasterFile(cluster)?.pid;
  if (!pid) return [];
  try {
    const command = execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return command.includes(`-D ${cluster}`) ? [pid] : [];
  } catch {
    return [];
  }
}
