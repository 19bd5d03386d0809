/** Resource usage of a process from `/proc`: CPU time and resident memory. Linux only. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { databaseLocation } from './data-directory.ts';

/** The kernel counts in hundredths of a second on every machine. */
const MILLISECONDS_PER_TICK = 10;
const PARENT = 1;
const OWN_TICKS = [11, 12] as const;
const ENDED_CHILDREN_TICKS = [13, 14] as const;

/** User and system time since the process started, in milliseconds, over all threads. */
export function cpuMilliseconds(pid: number): number {
  return ticks(statOf(pid), OWN_TICKS) * MILLISECONDS_PER_TICK;
}

/** CPU milliseconds of the service: its process and its workers, if any. The embedded server is a different program. */
export function serviceCpuMilliseconds(pid: number): number {
  const program = readlinkSync(`/proc/${pid}/exe`);
  return childrenOf(pid)
    .filter((child) => programOf(child) === program)
    .reduce((sum, child) => sum + cpuMilliseconds(child), cpuMilliseconds(pid));
}

/** CPU milliseconds of the embedded server: its main process and every connection, open or ended. */
export function postgresCpuMilliseconds(dataDirectory: string): number {
  const file = join(databaseLocation(dataDirectory), 'postgres', 'postmaster.pid');
  const postmaster = Number(readFileSync(file, 'utf8').split('\n')[0]);
  const main = statOf(postmaster);
  const own = [main, ...childrenOf(postmaster).map(statOf)].reduce((sum, stat) => sum + ticks(stat, OWN_TICKS), 0);
  return (own + ticks(main, ENDED_CHILDREN_TICKS)) * MILLISECONDS_PER_TICK;
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => Number(statOf(child)[PARENT]) === pid);
}

/** Null if the process is gone. */
function programOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return null;
  }
}

export function residentMegabytes(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? NaN) / 1024;
}

/** Fields of `/proc/PID/stat` from the state on; empty if the process is gone. */
function statOf(pid: number): readonly string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

function ticks(stat: readonly string[], fields: readonly number[]): number {
  return fields.reduce((sum, field) => sum + Number(stat[field] ?? 0), 0);
}
