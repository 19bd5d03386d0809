import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { admin } from '../support/admin.ts';
import { run, terminate } from '../support/child-service.ts';

it('`admin compact` looks at the databases of a service that runs, and of one that is stopped', async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'books-compact-'));
  onTestFinished(() => rmSync(dataDirectory, { recursive: true, force: true }));
  const nothing = [0, expect.stringContaining('No table is at least a fifth free space.')];
  const service = await run('one-process', [], { DATA_DIR: dataDirectory });
  expect(await admin(['compact', '--dry-run'], { DATA_DIR: dataDirectory })).toEqual(nothing);
  await terminate(service);
  expect(await admin(['compact'], { DATA_DIR: dataDirectory })).toEqual(nothing);
});
