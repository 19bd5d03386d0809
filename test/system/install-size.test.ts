/** Size of a production install: every machine that runs the service downloads and stores it. */
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { MINUTES } from '../support/patience.ts';

// Starts processes one after another, which takes a minute or two on a busy machine.
vi.setConfig(MINUTES);

const root = fileURLToPath(new URL('../..', import.meta.url));
const MEGABYTES_MAX = 300;

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
}

test(`a production install is smaller than ${MEGABYTES_MAX} MB`, () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as LockFile;
  const sizes = Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true)
    .map(([path]) => ({ path, megabytes: diskBytesOf(join(root, path)) / 2 ** 20 }))
    .sort((a, b) => b.megabytes - a.megabytes);
  const total = sizes.reduce((sum, { megabytes }) => sum + megabytes, 0);
  const heaviest = sizes.slice(0, 10).map(({ path, megabytes }) => `${path} ${megabytes.toFixed(0)}`);
  expect(total, heaviest.join(', ')).toBeGreaterThan(100);
  expect(total, heaviest.join(', ')).toBeLessThan(MEGABYTES_MAX);
});

/** Size of one package without nested ones; 0 for a package of another platform, which is not installed. */
function diskBytesOf(directory: string): number {
  const stats = lstatSync(directory, { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true) return 0;
  let bytes = stats.blocks * 512;
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) bytes += entry.name === 'node_modules' ? 0 : diskBytesOf(path);
    else bytes += lstatSync(path).blocks * 512;
  }
  return bytes;
}
