/** Reads `postmaster.pid` of a running or crashed server. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const PID_LINE = 0;
const STATUS_LINE = 7;

/** `pid` is 0 if the file is truncated. Returns undefined if it does not exist. */
export function readPostmasterFile(cluster: string): { pid: number; isReady: boolean } | undefined {
  try {
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(lines[PID_LINE]) || 0, isReady: lines[STATUS_LINE]?.trim() === 'ready' };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

export function removePostmasterFile(cluster: string): void {
  rmSync(join(cluster, 'postmaster.pid'), { force: true });
}
