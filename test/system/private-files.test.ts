/** Other accounts of the machine can read nothing that the service writes, whatever umask it was started with. */
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { run, terminate } from '../support/child-service.ts';
import { MINUTES } from '../support/patience.ts';

// Starts processes one after another, which takes a minute or two on a busy machine.
vi.setConfig(MINUTES);

const isRoot = process.getuid?.() === 0;

it('the data directory and every file in it are private', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'books-private-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true, maxRetries: 5 }));
  // Other accounts can traverse the parent, as the account that runs PostgreSQL must.
  chmodSync(parent, 0o755);
  const dataDirectory = join(parent, 'data');
  const service = await run('one-process', [], { DATA_DIR: dataDirectory });
  onTestFinished(async () => void (await terminate(service)));
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
  expect(modeOf(dataDirectory)).toBe(isRoot ? '710' : '700');
  const entries = readdirSync(dataDirectory, { withFileTypes: true });
  expect(entries.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['first-run.json', 'postgres.lock', 'postgres.owner']),
  );
  for (const entry of entries)
    expect([entry.name, modeOf(join(dataDirectory, entry.name))]).toEqual([
      entry.name,
      entry.isDirectory() ? '700' : '600',
    ]);
});
