/** Every script runs on a recent enough Node, and prefers the machine's own. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, test, vi } from 'vitest';
import { projectText } from '../support/project-files.ts';
import { MINUTES } from '../support/patience.ts';

// Starts processes one after another, which takes a minute or two on a busy machine.
vi.setConfig(MINUTES);

const WITH_NODE = fileURLToPath(new URL('../../tools/with-node', import.meta.url));
const FETCHED = fileURLToPath(new URL('../../packages/node/', import.meta.url));

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'with-node-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

/** The command to run if the machine's Node reports this version. */
function nodeOn(version: string): string {
  writeFileSync(join(directory, 'node'), `#!/bin/sh\necho ${version}\n`, { mode: 0o755 });
  return execFileSync(WITH_NODE, ['node', '-v'], {
    env: { PATH: `${directory}:/usr/bin:/bin` },
    encoding: 'utf8',
  }).trim();
}

test.each(['v24.7.0', 'v24.21.0', 'v25.0.0', 'v100.1.2'])("the machine's own Node %s is used", (version) => {
  expect(nodeOn(version)).toBe(version);
});

it.skipIf(!process.execPath.startsWith(FETCHED)).each(['v18.20.0', 'v20.20.2', 'v24.6.9'])(
  'the fetched Node is used instead of %s',
  (version) => {
    expect(nodeOn(version)).toBe(process.version);
  },
);

test('every script of package.json that does not run another one uses the Node of the project', () => {
  const { scripts } = JSON.parse(projectText('package.json')) as { scripts: Record<string, string> };
  const others = Object.entries(scripts).filter(
    ([name, line]) =>
      !name.startsWith('check:') && !/^(?:\w+=\S+ )*(?:exec start\/run|tools\/with-node) |^npm run /.test(line),
  );
  expect(others).toEqual([]);
});
