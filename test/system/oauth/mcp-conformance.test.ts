/**
 * The applicable scenarios of MCP's conformance suite. Its others need tools, prompts, resources or logging of a
 * special example server.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addBearer, type Door } from '../../support/add-bearer.ts';
import { projectPath } from '../../support/project-files.ts';
import { runningService, type RunningService } from '../../support/running-service.ts';

const SCENARIOS = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'];

const run = promisify(execFile);
let service: RunningService;
let door: Door;
let folder: string;
beforeAll(async () => {
  door = await addBearer(
    () => service.url,
    () => service.firstRun.live_read_key,
  );
  service = await runningService({ MCP_URL: door.url });
  folder = mkdtempSync(join(tmpdir(), 'conformance-'));
});
afterAll(async () => {
  await door.close();
  await service.stop();
  rmSync(folder, { recursive: true });
});

it.each(SCENARIOS)('%s passes', async (scenario) => {
  const output = join(folder, scenario);
  const { stdout } = await run(projectPath('node_modules/.bin/conformance'), [
    'server',
    '--url',
    `${door.url}/mcp`,
    '--scenario',
    scenario,
    '--output-dir',
    output,
  ]).catch((error: unknown) => error as { stdout: string });
  const [results = ''] = readdirSync(output);
  const checks = JSON.parse(readFileSync(join(output, results, 'checks.json'), 'utf8')) as {
    id: string;
    status: string;
  }[];
  expect(checks.filter(({ status }) => status === 'SUCCESS').length, stdout).toBeGreaterThan(0);
  expect(
    checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING'),
    stdout,
  ).toEqual([]);
});
