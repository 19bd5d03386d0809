import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectPath } from './project-files.ts';

const FLAKY = `let isFirst = true;
  test('NAME', () => {
    if (!isFirst) return;
    isFirst = false;
    throw new Error('only the first time');
  });`;
const flaky = (name: string) => `{ ${FLAKY.replace('NAME', name)} }\n`;

/** Runs a test file with the reporter in a process of its own, where failed tests are retried once. */
async function run(
  tests: string,
  args: readonly string[] = [],
  settings: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; output: string }> {
  const root = mkdtempSync(join(tmpdir(), 'reporter-'));
  writeFileSync(join(root, 'sample.test.js'), tests);
  const reporter = projectPath('test/support/retries-and-skips.ts');
  writeFileSync(
    join(root, 'vitest.config.js'),
    `import { RetriesAndSkips } from ${JSON.stringify(reporter)};
     export default { test: { globals: true, retry: 1, reporters: ['default', new RetriesAndSkips()] } };`,
  );
  const vitest = projectPath('node_modules/vitest/vitest.mjs');
  // Without the variables of the run around this one.
  const env = Object.entries(process.env).filter(([name]) => !/^(VITEST|TINYPOOL)/.test(name));
  const child = spawn(process.execPath, [vitest, 'run', '--root', root, ...args], {
    env: { ...Object.fromEntries(env), NO_COLOR: '1', MUST_NOT_SKIP: '', ...settings },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
}

it('the reporter lists one retried test, and lets the run pass', async () => {
  const { code, output } = await run(`${flaky('shaky')}test('steady', () => {});`);
  expect(output).toContain('Retried tests, at most 1 allowed (1):\n  sample.test.js > shaky\n');
  expect([code, output.includes('steady\n')]).toEqual([0, false]);
});

it('the reporter fails a run in which two tests were retried, although both passed in the end', async () => {
  const { code, output } = await run(flaky('shaky') + flaky('also shaky'));
  expect(output).toContain('(2):\n  sample.test.js > shaky\n  sample.test.js > also shaky\n');
  expect([code, output]).toEqual([1, expect.stringMatching(/Tests +2 passed/)]);
});

it('the reporter lists skipped tests with their reason, unless a pattern selects tests', async () => {
  const tests = `test('needs more', ({ skip }) => skip('no Redis here')); test.skip('never', () => {}); test('runs', () => {});`;
  const { code, output } = await run(tests);
  expect(output).toContain(
    'Skipped tests (2):\n  sample.test.js > needs more: no Redis here\n  sample.test.js > never\n',
  );
  expect(code).toBe(0);
  expect((await run(tests, ['-t', 'runs'])).output).not.toContain('Skipped tests');
});

it('the reporter fails a run that skips a test of a file that must not be skipped', async () => {
  const tests = `test('needs more', ({ skip }) => skip('no Redis here')); test('runs', () => {});`;
  const codeWith = async (files: string) => (await run(tests, [], { MUST_NOT_SKIP: files })).code;
  expect([await codeWith('other.test.js sample.test.js'), await codeWith('other.test.js')]).toEqual([1, 0]);
});

it('the reporter lists nothing after a run without retried or skipped tests', async () => {
  const { code, output } = await run(`test('steady', () => {});`);
  expect([code, output]).toEqual([0, expect.not.stringMatching(/Retried|Skipped/)]);
});
