import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { admin } from '../support/admin.ts';
import { run, terminate } from '../support/child-service.ts';

it('`admin compact` examines the databases of a service that runs, and of one that is stopped', async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'books-compact-'));
  onTestFinished(() => rmSync(dataDirectory, { recursive: true, force: true }));
  const nothing = [0, expect.stringContaining('No table has 20 % or more free space.')];
  const service = await run('one-process', [], { DATA_DIR: dataDirectory });
  expect(await admin(['compact', '--dry-run'], { DATA_DIR: dataDirectory })).toEqual(nothing);
  const [, printed] = await admin(['compact', '--dry-run', '--json'], { DATA_DIR: dataDirectory });
  expect(JSON.parse(printed.split('\n')[0]!)).toEqual({ message: 'No table has 20 % or more free space.' });
  await terminate(service);
  expect(await admin(['compact'], { DATA_DIR: dataDirectory })).toEqual(nothing);
});

it.each([['compact'], ['backup', 'folder']])(
  '`admin %s` creates no database in the wrong directory',
  async (...words) => {
    const dataDirectory = join(tmpdir(), `books-none-${process.pid}`);
    const message = `There is no database in ${dataDirectory}: set DATA_DIR to the directory of the service`;
    const args = words.map((word) => (word === 'folder' ? join(dataDirectory, 'backup') : word));
    expect(await admin(args, { DATA_DIR: dataDirectory })).toEqual([1, expect.stringContaining(message)]);
    expect(existsSync(dataDirectory)).toBe(false);
  },
);
