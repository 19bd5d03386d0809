/**
 * Protects the server from a full disk. PostgreSQL stops when it cannot create a WAL file, and needs space to recover.
 * Writes are refused before that (`isAlmostFull`). If the server stops anyway, because other programs fill the disk,
 * deleting the ballast file makes room for recovery.
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

/** `freeBytes` is what processes without special rights may use. Throws if the directory does not exist. */
export function diskSpace(directory: string): DiskSpace {
  const { bavail, blocks, bsize }: StatsFs = statfsSync(directory);
  return { freeBytes: bavail * bsize, bytes: blocks * bsize };
}

/** True if only the reserve for accepted writes is left: four WAL files and one percent of the disk. */
export function isAlmostFull({ freeBytes, bytes }: DiskSpace): boolean {
  return freeBytes < BALLAST_BYTES + SHARE_KEPT * bytes;
}

/** Creates the ballast file, if there is space for it. */
export function holdBallast(directory: string): void {
  const file = ballastIn(directory);
  const { freeBytes, bytes } = diskSpace(directory);
  if (existsSync(file) || isAlmostFull({ freeBytes: freeBytes - BALLAST_BYTES, bytes })) return;
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    // Written in full, because a sparse file reserves no space.
    for (let written = 0; written < BALLAST_BYTES; written += SEGMENT_BYTES)
      writeSync(descriptor, Buffer.alloc(SEGMENT_BYTES));
  } finally {
    closeSync(descriptor);
  }
}

/** Deletes the ballast file. Returns false if it does not exist. */
export function giveUpBallast(directory: string): boolean {
  const file = ballastIn(directory);
  if (!existsSync(file)) return false;
  rmSync(file);
  return true;
}

function ballastIn(directory: string): string {
  return join(directory, 'ballast');
}
