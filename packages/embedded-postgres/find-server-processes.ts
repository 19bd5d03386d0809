/** The processes of one cluster's server, known by the directory they work in: never by a name alone. */
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { readPostmasterFile } from './postmaster-file.ts';

/** Process ids: the postmaster and its children where `/proc` tells, elsewhere the postmaster alone. */
export function findServerProcesses(cluster: string): number[] {
  if (process.platform !== 'linux') return findPostmaster(cluster);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && worksIn(name, cluster))
    .map(Number);
}

/** A shell or an editor that stands in the directory is none of ours; a server's process stands there from its start. */
function worksIn(pid: string, cluster: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === cluster && readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres';
  } catch {
    // Gone meanwhile, or of an account that is not ours to look at.
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
