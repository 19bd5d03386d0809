/** The spool holds as many bytes as it may, and no more. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSpool } from '../../../packages/sdk-node/spool.ts';

const EVENT = 'x'.repeat(100);

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'books-spool-size-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const fail = (error: unknown) => {
  throw error;
};

it.each([
  [0, true],
  [1, false],
])('an event that needs %i bytes more than are left is kept: %s', (missing, isKept) => {
  const first = openSpool(directory, 1_000, fail)!;
  expect(first.append(EVENT)).not.toBeNull();
  const [name = ''] = readdirSync(directory);
  const { size } = statSync(join(directory, name));
  first.close();
  rmSync(join(directory, name), { force: true });

  const spool = openSpool(directory, size + EVENT.length - missing, fail)!;
  expect(spool.append(EVENT)).not.toBeNull();
  expect(spool.append(EVENT) !== null).toBe(isKept);
  expect(spool.errors()).toBe(isKept ? 0 : 1);
  spool.close();
});
