/**
 * The service serves its own client libraries: npm and pip install them without a registry, and the installed packages
 * report a call.
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { get } from '../support/api-client.ts';
import type { RunningService } from '../support/running-service.ts';
import { sharedService } from '../support/shared-service.ts';
import { MINUTES } from '../support/patience.ts';

// Builds and installs packages, and runs programs with them.
vi.setConfig(MINUTES);

const PYTHON = '/usr/bin/python3';
const folder = mkdtempSync(join(tmpdir(), 'books-client-'));
let service: RunningService;

beforeAll(async () => {
  service = await sharedService();
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Must not be synchronous, because the service runs in this process. */
async function run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { stdout } = await promisify(execFile)(command, args, { cwd: folder, env: { ...process.env, ...env } });
  return stdout;
}

async function storedEvents(): Promise<number> {
  const range = 'start_date=2020-01-01&end_date=2100-01-01';
  return (await get(service.url, `/usage/summary?${range}`, service.firstRun.live_read_key)).body.total_events;
}

const settings = () => ({
  BOOKS_API_URL: service.url,
  BOOKS_API_KEY: service.firstRun.live_ingest_key,
  BOOKS_SPOOL: '',
});

test('npm installs the library for Node, and a process delivers with it', async () => {
  writeFileSync(join(folder, 'package.json'), '{"name":"consumer","version":"1.0.0","type":"module"}');
  const registry = '--registry=http://127.0.0.1:9';
  await run('npm', ['install', '--no-audit', '--no-fund', registry, `${service.url}/sdk/node.tgz`]);
  const installed = join(folder, 'node_modules/ai-product-books-sdk');
  expect(readdirSync(installed).toSorted()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  expect(readdirSync(join(installed, 'dist'))).toContain('langchain.d.ts');
  writeFileSync(
    join(folder, 'call.js'),
    `import { createBooks } from 'ai-product-books-sdk';
createBooks().track({ id: 'chatcmpl-npm', model: 'gpt-4o', usage: { prompt_tokens: 10, completion_tokens: 5 } });`,
  );
  const before = await storedEvents();
  await run('node', ['call.js'], settings());
  expect((await storedEvents()) - before).toBe(1);
});

test('pip installs the library for Python, and a process delivers with it', async ({ skip }) => {
  skip(spawnSync(PYTHON, ['-m', 'pip', '--version']).status !== 0, `${PYTHON} with pip is missing`);
  const [link] = /[\w.-]+\.whl/.exec(await (await fetch(`${service.url}/sdk/`)).text()) ?? [];
  expect(link).toMatch(/^ai_product_books_sdk-.*-py3-none-any\.whl$/);
  const target = join(folder, 'python');
  await run(PYTHON, [
    '-m',
    'pip',
    'install',
    '--no-index',
    '--quiet',
    '--target',
    target,
    `${service.url}/sdk/${link}`,
  ]);
  const program = `
from ai_product_books import Books
Books().track({"id": "chatcmpl-pip", "model": "gpt-4o", "usage": {"prompt_tokens": 10, "completion_tokens": 5}})`;
  const before = await storedEvents();
  await run(PYTHON, ['-c', program], { ...settings(), PYTHONPATH: target });
  expect((await storedEvents()) - before).toBe(1);
});

test('a version of a library always has the same bytes, which a cache may keep', async () => {
  for (const path of ['node.tgz', 'python.whl']) {
    const first = await fetch(`${service.url}/sdk/${path}`);
    const [etag, bytes] = [first.headers.get('etag')!, Buffer.from(await first.arrayBuffer())];
    expect([first.status, bytes.length > 1_000]).toEqual([200, true]);
    const again = await fetch(first.url, { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
  }
  expect((await fetch(`${service.url}/sdk/other.whl`)).status).toBe(404);
});
