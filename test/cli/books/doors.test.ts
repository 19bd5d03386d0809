/** `books send`, `replay`, `tail` and `sources`, against a whole service. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { settle } from '../../support/api-client.ts';
import { projectPath } from '../../support/project-files.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { sendTo, unsignedKey } from '../../support/telemetry.ts';
import { signedIn } from '../../support/visitor.ts';
import { MINUTES } from '../../support/patience.ts';

// Starts processes one after another, which takes a minute or two on a busy machine.
vi.setConfig(MINUTES);

let service: RunningService;
let folder: string;
beforeAll(async () => {
  service = await sharedService();
  folder = mkdtempSync(join(tmpdir(), 'books-doors-'));
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

function books(key: string, ...words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, BOOKS_API_KEY: key, BOOKS_API_URL: service.url };
  return new Promise((resolve) => {
    execFile(process.execPath, [projectPath('cli/books/main.ts'), ...words], { env }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

const response = (id: string) => ({
  id,
  object: 'chat.completion',
  created: 1_790_000_000,
  model: 'gpt-4o-2024-08-06',
  usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 },
});

it('`send` accepts a file and a folder, and counts nothing twice', async () => {
  const { live_ingest_key: writer, live_read_key: reader } = service.firstRun;
  const file = join(folder, 'one.json');
  writeFileSync(file, JSON.stringify(response('chatcmpl-file-1'), null, 2));
  expect(await books(writer, 'send', file)).toMatchObject({
    code: 0,
    out: '1 accepted, 0 of them duplicates; 0 rejected\n',
  });

  const many = join(folder, 'many');
  mkdirSync(join(many, 'below'), { recursive: true });
  writeFileSync(
    join(many, 'a.jsonl'),
    ['chatcmpl-file-1', 'chatcmpl-file-2'].map((id) => JSON.stringify(response(id))).join('\n'),
  );
  writeFileSync(join(many, 'below', 'b.json'), JSON.stringify([response('chatcmpl-file-3'), { object: 'list' }]));
  writeFileSync(join(many, 'c.json'), 'no');
  const replayed = await books(writer, 'replay', many);
  expect(replayed).toMatchObject({ code: 1, out: '3 files: 3 accepted, 1 of them duplicates; 2 rejected\n' });
  expect(replayed.err).toContain('below/b.json 1: idempotency_key is required; model is required');
  expect(replayed.err).toContain('c.json: not JSON');

  await settle(service.url, service.firstRun.operator_token);
  const tail = await books(reader, 'tail', '--once');
  expect(
    tail.out
      .trim()
      .split('\n')
      .map((line) => line.split('  ').slice(1, 6)),
  ).toEqual(
    ['chatcmpl-file-1', 'chatcmpl-file-2', 'chatcmpl-file-3'].map((id) => [
      `openai:${id}`,
      'openai/gpt-4o-2024-08-06',
      '1000 in, 100 out',
      '0.0035 USD',
      'openai-chat',
    ]),
  );
  const { out } = await books(reader, 'sources', '--json');
  expect(JSON.parse(out)).toMatchObject([
    { endpoint: 'PROVIDER_RESPONSES', name: 'openai', billed: 3, duplicates: 1 },
    {},
  ]);
  expect((await books(reader, 'sources')).out).toMatch(/openai\s+provider-responses/);
  expect(await books(reader, 'send', file)).toMatchObject({ code: 1, err: expect.stringContaining('usage:write') });
});

it('events of test keys are shown only on the command line and on the sources page', async () => {
  const key = await unsignedKey(service, 'test');
  await sendTo(service.url, '/ext/v1/provider-responses', key, response('chatcmpl-test-1'));
  await settle(service.url, service.firstRun.operator_token);
  const { out } = await books(service.firstRun.live_read_key, 'tail', '--test', '--once');
  expect(out.trim().split('\n')).toHaveLength(1);
  expect(out).toContain('openai:chatcmpl-test-1');

  const person = await signedIn(service.url, service.firstRun);
  const page = async (path: string) => (await person.get(path)).html;
  expect(await page('/sources/events?keys=test')).toContain('openai:chatcmpl-test-1');
  expect(await page('/sources/events')).not.toContain('openai:chatcmpl-test-1');
  const found = await page('/sources/events?keys=test&key=openai:chatcmpl-test-1');
  expect([found.includes('<th scope="row">openai:chatcmpl-test-1</th>'), found.includes('No events.')]).toEqual([
    true,
    false,
  ]);
  expect(await page('/sources/events?key=openai:chatcmpl-test-1')).toContain('No events.');
  expect(await page('/sources?keys=test')).toContain('provider-responses');
  expect(await page('/sources')).not.toContain('chatcmpl');
});
