/**
 * Every code sample of the guides, unchanged, with the packed library, the providers' own packages and a running
 * service.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { get, settle } from '../../support/api-client.ts';
import { freePort } from '../../support/free-port.ts';
import { packSdk } from '../../support/pack-sdk.ts';
import { projectFiles, projectPath, projectText } from '../../support/project-files.ts';
import { type ProviderStandIn, startProviders } from '../../support/provider-stand-in.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { MINUTES, PATIENCE } from '../../support/patience.ts';

// Builds and installs packages, and runs programs with them.
vi.setConfig(MINUTES);

const folder = mkdtempSync(join(tmpdir(), 'books-guides-'));
let service: RunningService;
let providers: ProviderStandIn;

beforeAll(async () => {
  [service, providers] = [await sharedService(), await startProviders()];
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, 'ai-product-books-sdk'), { recursive: true });
  execFileSync('tar', ['xf', packSdk(folder), '--strip-components=1', '-C', join(modules, 'ai-product-books-sdk')]);
  for (const name of ['openai', '@anthropic-ai', '@google', 'ai', '@ai-sdk', '@langchain'])
    symlinkSync(projectPath(`node_modules/${name}`), join(modules, name));
});
afterAll(async () => {
  await providers.stop();
  await service.stop();
  rmSync(folder, { recursive: true });
});

function samplesOf(guide: string): string[] {
  const samples = [...projectText(`docs/guides/${guide}.md`).matchAll(/^```js\n([\s\S]*?)^```$/gm)];
  return samples.map(([, sample]) => sample!);
}

function environment(): NodeJS.ProcessEnv {
  return {
    ...process.env,
    BOOKS_API_URL: service.url,
    BOOKS_API_KEY: service.firstRun.live_ingest_key,
    OPENAI_API_KEY: 'none',
    OPENAI_BASE_URL: `${providers.url}/v1`,
    ANTHROPIC_API_KEY: 'none',
    ANTHROPIC_BASE_URL: providers.url,
    GEMINI_API_KEY: 'none',
    GOOGLE_GEMINI_BASE_URL: providers.url,
  };
}

/** Must not be synchronous, because the service and the stand-in run in this process. */
async function run(name: string, program: string): Promise<void> {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, program);
  const child = spawn(process.execPath, ['--no-warnings', file], { env: environment() });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  expect(await new Promise((resolve) => child.once('close', resolve)), output).toBe(0);
  expect(output).not.toContain('ai-product-books-sdk:');
}

async function expectCosts(userId: string, events: number): Promise<void> {
  await settle(service.url, service.firstRun.operator_token);
  const path = `/end-user-costs/${userId}/by-model?start_date=2020-01-01&end_date=2100-01-01`;
  const { status, body } = await get(service.url, path, service.firstRun.live_read_key);
  expect(status).toBe(200);
  expect(Number(body.total_cost)).toBeGreaterThan(0);
  expect(body.models.reduce((sum: number, { event_count: count }: { event_count: number }) => sum + count, 0)).toBe(
    events,
  );
}

test.each([
  ['openai', 'customer-7', 2],
  ['anthropic', 'customer-8', 1],
  ['gemini', 'customer-9', 2],
  ['vercel-ai-sdk', 'customer-10', 2],
  ['langchain', 'customer-11', 2],
])('the code of the guide "%s" reports its calls', async (guide, userId, events) => {
  const [sample, ...others] = samplesOf(guide);
  expect(others).toEqual([]);
  await run(guide, sample!);
  await expectCosts(userId, events);
});

describe('serverless', () => {
  const [worker = '', server = '', lambda = '', ...others] = samplesOf('serverless');
  const PROMPT = 'How many r are in strawberry?';
  beforeAll(() => {
    expect(others).toEqual([]);
    writeFileSync(join(folder, 'worker.mjs'), worker);
    writeFileSync(join(folder, 'server.mjs'), server);
    writeFileSync(join(folder, 'lambda.mjs'), lambda);
  });

  test('workers, with Node: the worker ends with its response, once its promises are settled', async () => {
    await run(
      'run-worker',
      `import worker from './worker.mjs';
const promises = [];
const request = new Request('http://localhost/', { method: 'POST', body: '${PROMPT}' });
const response = await worker.fetch(request, process.env, { waitUntil: (promise) => promises.push(promise) });
await response.text();
await Promise.all(promises);
process.exit(0);`,
    );
    await expectCosts('customer-12', 1);
  });

  test('a server delivers its events, with Node', async () => {
    await run(
      'run-server',
      `import server from './server.mjs';
const response = await server.fetch(new Request('http://localhost/', { method: 'POST', body: '${PROMPT}' }));
if ((await response.text()) !== 'Three.') throw new Error('Another answer');`,
    );
    await expectCosts('customer-13', 1);
  });

  const isThere = (runtime: string) => spawnSync(runtime, ['--version'], { stdio: 'ignore' }).status === 0;
  const RUNTIMES: [string, string[]][] = [
    ['bun', []],
    ['deno', ['serve', '--port=8000', '--allow-net', '--allow-env', '--allow-sys', '--no-prompt']],
  ];

  test.for(RUNTIMES)('a server delivers its events, with %s if installed', async ([runtime, args], { skip }) => {
    if (!isThere(runtime)) skip(`There is no ${runtime}`);
    const port = await freePort();
    const file = join(folder, `server-${runtime}.mjs`);
    writeFileSync(file, server.replace('8000', String(port)).replace('customer-13', `customer-${runtime}`));
    const flags = args.map((arg) => arg.replace('8000', String(port)));
    const child = spawn(runtime, [...flags, file], { cwd: folder, env: environment(), stdio: 'ignore' });
    try {
      const call = () => fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: PROMPT });
      const response = await vi.waitFor(call, { ...PATIENCE, interval: 200 });
      expect(await response.text()).toBe('Three.');
      const path = `/end-user-costs/customer-${runtime}/by-model?start_date=2020-01-01&end_date=2100-01-01`;
      const found = async () => (await get(service.url, path, service.firstRun.live_read_key)).status;
      await expect.poll(found).toBe(200);
    } finally {
      child.kill('SIGKILL');
    }
    await expectCosts(`customer-${runtime}`, 1);
  });

  test('a function that is frozen when it returns delivers first, with Node', async () => {
    await run(
      'run-lambda',
      `import { handler } from './lambda.mjs';
const { body } = await handler({ body: '${PROMPT}' });
if (body !== 'Three.') throw new Error('Another answer');
process.exit(0);`,
    );
    await expectCosts('customer-14', 1);
  });
});

test('there is a test for each guide', () => {
  const guides = projectFiles('docs/guides/').map((path) => path.replace(/^docs\/guides\/|\.md$/g, ''));
  expect(guides).toEqual(
    expect.arrayContaining(['anthropic', 'gemini', 'langchain', 'openai', 'serverless', 'vercel-ai-sdk']),
  );
});
