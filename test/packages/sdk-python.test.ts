/** The library for Python with the system's own: its tests against a running service, its wheel, and the same events as the one for Node. */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBooks } from '../../packages/sdk-node/books.ts';
import { projectPath } from '../support/project-files.ts';
import { CHAT_USAGE, GEMINI_USAGE, MESSAGES_USAGE, RESPONSES_USAGE } from '../support/provider-stand-in.ts';
import { type RunningService, runningService } from '../support/running-service.ts';
import { unsignedKey } from '../support/telemetry.ts';

const PYTHON = '/usr/bin/python3';
const FOLDER = projectPath('packages/sdk-python');

describe.skipIf(!existsSync(PYTHON))(`with ${PYTHON}`, () => {
  let service: RunningService;

  beforeAll(async () => {
    service = await runningService();
  });
  afterAll(() => service.stop());

  /** Not synchronous: the service is in this process. */
  function python(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    input = '',
  ): Promise<[number | null, string]> {
    const child = spawn(PYTHON, args, {
      cwd: FOLDER,
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PYTHONPATH: FOLDER, BOOKS_SPOOL: '', ...env },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
    child.stdin.end(input);
    return new Promise((resolve) => child.once('close', (code) => resolve([code, output])));
  }

  test('its own tests', async () => {
    const { live_ingest_key: key, live_read_key: readKey } = service.firstRun;
    const env = {
      BOOKS_API_URL: service.url,
      BOOKS_API_KEY: key,
      READ_KEY: readKey,
      UNSIGNED_KEY: await unsignedKey(service),
    };
    const [code, output] = await python(['-W', 'error', '-m', 'unittest', 'discover', '-s', 'tests'], env);
    expect(code, output).toBe(0);
  });

  test('it makes the events that the library for Node makes', async () => {
    const chat = {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      model: 'gpt-4o',
      choices: [],
      service_tier: 'default',
      usage: CHAT_USAGE,
    };
    const responses = [
      chat,
      { ...chat, id: 'gen-1', model: 'meta/llama' },
      { ...chat, model: 'deepseek-chat', usage: { ...CHAT_USAGE, prompt_cache_hit_tokens: 1920 } },
      {
        ...chat,
        usage: {
          ...CHAT_USAGE,
          note: 'A text that is longer than any name of a tier, so that it is left out of what is sent',
        },
      },
      { id: 'resp_1', object: 'response', status: 'completed', model: 'gpt-5-mini', usage: RESPONSES_USAGE },
      { id: 'resp_2', object: 'response', status: 'queued', model: 'gpt-5-mini', usage: null },
      { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', usage: MESSAGES_USAGE },
      { candidates: [], modelVersion: 'models/gemini-2.5-flash', responseId: 'gem1', usageMetadata: GEMINI_USAGE },
      { id: 'c1', model: 'command-r', usage: { billed_units: { input_tokens: 5, output_tokens: 7 } } },
      { nothing: true },
    ];
    const books = createBooks({ apiKey: 'none', url: 'http://127.0.0.1:9', onError: () => {} });
    const at = '2026-11-20T20:00:00.000Z';
    const context = { userId: 'u', agentId: 'a', dimensions: { team: 'x' } };
    const ofNode = responses.map((response) => books.track(response, { ...context, invokedAt: new Date(at) }));
    await books.close(0);
    const program = `
import json, sys
from datetime import datetime, timezone
from ai_product_books import Books
books = Books(url="http://127.0.0.1:9", api_key="none", on_error=lambda error: None)
at = datetime(2026, 11, 20, 20, tzinfo=timezone.utc)
print(json.dumps([books.track(one, user_id="u", agent_id="a", dimensions={"team": "x"}, invoked_at=at) for one in json.load(sys.stdin)]))
books.close(0)`;
    const [code, output] = await python(['-c', program], {}, JSON.stringify(responses));
    expect(code, output).toBe(0);
    expect(JSON.parse(output)).toEqual(ofNode);
  });

  test('its wheel is built by the standard tools, and holds all there is', async ({ skip }) => {
    try {
      execFileSync(PYTHON, ['-c', 'import setuptools, wheel, pip'], { stdio: 'ignore' });
    } catch {
      skip('There is no pip, setuptools or wheel for it');
    }
    const folder = mkdtempSync(join(tmpdir(), 'books-wheel-'));
    cpSync(FOLDER, join(folder, 'source'), { recursive: true });
    const args = [
      '-m',
      'pip',
      'wheel',
      '--no-build-isolation',
      '--no-deps',
      '--no-index',
      '-w',
      folder,
      join(folder, 'source'),
    ];
    const [built, log] = await python(args);
    expect(built, log).toBe(0);
    const wheel = readdirSync(folder).find((name) => name.endsWith('.whl'));
    expect(wheel).toBe('ai_product_books_sdk-0.1.0-py3-none-any.whl');
    const program =
      'import sys; sys.path.insert(0, sys.argv[1]); import ai_product_books; print(ai_product_books.__file__)';
    const [code, output] = await python(['-c', program, join(folder, wheel!)], { PYTHONPATH: '' });
    expect([code, output.trim()]).toEqual([0, join(folder, wheel!, 'ai_product_books/__init__.py')]);
    rmSync(folder, { recursive: true });
  });
});
