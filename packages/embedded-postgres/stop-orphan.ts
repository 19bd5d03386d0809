/**
 * A server that outlived the process which ran it. Only the holder of the data directory comes here
 * (`hold-data-directory.ts`), so whatever still works in it has nobody left.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { elapsedMilliseconds } from './clock.ts';
import { findServerProcesses } from './find-server-processes.ts';
import { readPostmasterFile, removePostmasterFile } from './postmaster-file.ts';

const FAST_MILLISECONDS = 30_000;
const IMMEDIATE_MILLISECONDS = 10_000;
const LOOK_MILLISECONDS = 10;

/**
 * Fast shutdown first, immediate if that takes over half a minute: committed data survives both. A `postmaster.pid`
 * that then remains names a process that is gone or, its number used again, a stranger's: it is removed.
 */
export async function stopOrphan(cluster: string, onProgress: (message: string) => void): Promise<void> {
  const postmaster = readPostmasterFile(cluster)?.pid;
  const orphans = findServerProcesses(cluster);
  if (orphans.length > 0) {
    onProgress(`Stopping the PostgreSQL that an earlier start left running on ${cluster}.`);
    const isWhole = postmaster !== undefined && orphans.includes(postmaster);
    if (isWhole) signal([postmaster], 'SIGINT');
    if (!isWhole || !await areGone(cluster, FAST_MILLISECONDS)) signal(findServerProcesses(cluster), 'SIGQUIT');
    if (!await areGone(cluster, IMMEDIATE_MILLISECONDS)) {
      const left = findServerProcesses(cluster).join(', ');
      throw new Error(`A PostgreSQL left from an earlier start still runs on ${cluster}: processes ${left}.`);
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
