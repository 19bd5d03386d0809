import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { diskSpace, giveUpBallast, holdBallast, isAlmostFull } from '../../../packages/embedded-postgres/disk-space.ts';

const MEGABYTE = 1024 ** 2;

it.each([
  ['a small disk with room for four WAL files and a hundredth', 70, 400, false],
  ['a small disk with less', 67, 400, true],
  ['a large disk with less than a hundredth', 9_000, 1_000_000, true],
  ['a large disk with more', 11_000, 1_000_000, false],
])('a disk is almost full or not: %s', (_, free, all, expected) => {
  expect(isAlmostFull({ freeBytes: free * MEGABYTE, bytes: all * MEGABYTE })).toBe(expected);
});

const disk = mkdtempSync(join(tmpdir(), 'books-disk-'));
const isMounted = ((): boolean => {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=200m', 'tmpfs', disk], { stdio: 'ignore' });
    return readFileSync('/proc/mounts', 'utf8').includes(` ${disk} tmpfs `);
  } catch {
    return false;
  }
})();

describe.skipIf(!isMounted)('a real disk of 200 MB', () => {
  it('holds a ballast file while there is room, and is almost full when the rest is needed for the log', () => {
    onTestFinished(() => {
      execFileSync('umount', ['-l', disk]);
      rmSync(disk, { recursive: true, force: true });
    });
    expect(isAlmostFull(diskSpace(disk))).toBe(false);
    holdBallast(disk);
    expect(Math.round(diskSpace(disk).freeBytes / MEGABYTE)).toBe(136);
    holdBallast(disk);
    expect(Math.round(diskSpace(disk).freeBytes / MEGABYTE)).toBe(136);
    writeFileSync(join(disk, 'data'), Buffer.alloc(75 * MEGABYTE));
    expect(isAlmostFull(diskSpace(disk))).toBe(true);
    expect(giveUpBallast(disk)).toBe(true);
    expect(isAlmostFull(diskSpace(disk))).toBe(false);
    expect(giveUpBallast(disk)).toBe(false);
    // The disk has no room for another ballast file.
    holdBallast(disk);
    expect(existsSync(join(disk, 'ballast'))).toBe(false);
  });
});
