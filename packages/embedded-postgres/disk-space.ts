/**
 * Keeps the server from falling on a full disk: it ends if it cannot create a WAL file, and then cannot recover either.
 * Callers refuse writes while some space is left, and a ballast file is given up if the server fell nevertheless.
 */
import { closeSync, existsSync, openSync, rmSync, statfsSync, type StatsFs, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Size of a WAL file. */
const SEGMENT_BYTES = 16 * 1024 ** 2;
const SEGMENTS_KEPT = 4;
const SHARE_KEPT = 0.01;
const BALLAST_BYTES = SEGMENTS_KEPT * SEGMENT_BYTES;

export interface DiskSpace {
  readonly freeBytes: number;
  readonly bytes: number;
}

export function diskSpace(directory: string): DiskSpace {
  const { bavail, blocks, bsize }: StatsFs = statfsSync(directory);
  return { freeBytes: bavail * bsize, bytes: blocks * bsize };
}

/** True if the rest is needed for what was accepted already: four WAL files and a hundredth of the disk. */
export function isAlmostFull({ freeBytes, bytes }: DiskSpace): boolean {
  return freeBytes < SEGMENTS_KEPT * SEGMENT_BYTES + SHARE_KEPT * bytes;
}

/** Creates the ballast file, if there is space for it. */
export function holdBallast(directory: string): void {
  const file = ballastIn(directory);
  const { freeBytes, bytes } = diskSpace(directory);
  if (existsSync(file) || isAlmostFull({ freeBytes: freeBytes - BALLAST_BYTES, bytes })) return;
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    // Written, because a sparse file holds no space.
    for (let written = 0; written < BALLAST_BYTES; written += SEGMENT_BYTES)
      writeSync(descriptor, Buffer.alloc(SEGMENT_BYTES));
  } finally {
    closeSync(descriptor);
  }
}

/** True if there was a ballast file. */
export function giveUpBallast(directory: string): boolean {
  const file = ballastIn(directory);
  if (!existsSync(file)) return false;
  rmSync(file);
  return true;
}

function ballastIn(directory: string): string {
  return join(directory, 'ballast');
}
