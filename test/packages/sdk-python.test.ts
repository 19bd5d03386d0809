/**
 * The Python library with the system's Python: its tests against a running service, its wheel, and the events of the
 * shared test cases.
 */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { projectPath } from '../support/project-files.ts';
import type { RunningService } from '../support/running-service.ts';
import { sharedService } from '../support/shared-service.ts';
import { unsignedKey } from '../support/telemetry.ts';
import { MINUTES } from '../support/patience.ts';

// Builds and installs packages, and runs programs with them.
vi.setConfig(MINUTES);

const PYTHON = '/usr/bin/python3';
const FOLDER = projectPath('packages/sdk-python');

describe.skipIf(!existsSync(PYTHON))(`with ${PYTHON}`, () => {
  let service: RunningService;

  beforeAll(async () => {
    service = await sharedService();
  });
  afterAll(() => service.stop());

  /** Must not be synchronous, because the service runs in this process. */
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

  test('it makes the same events as the Node library and the service', async () => {
    const table = readFileSync(projectPath('test/packages/fixtures/provider-bodies.json'), 'utf8');
    const program = `
import json, sys
from ai_product_books import Books
from ai_product_books.reading import StreamReader
table = json.load(sys.stdin)
books = Books(url="http://127.0.0.1:9", api_key="none", on_error=lambda error: None, on_drop=lambda event, reason: None)
def event(made):
    return made and {name: value for name, value in made.items() if name != "event_invoked_at"}
def stream(events, prompt):
    reader = StreamReader(prompt=prompt)
    for one in events:
        reader.take(one)
    return event(books._record(reader.finish(False), {}, None))
def tags(dimensions):
    made = books.track({"id": "chatcmpl-1", "model": "gpt-4o", "usage": {"prompt_tokens": 1}}, dimensions=dimensions)
    return {name: value for name, value in made["metadata"].items() if name != "usage"}
print(json.dumps({
    "responses": [event(books.track(row["body"], **row.get("hints", {}))) for row in table["responses"]],
    "streams": [stream(row["events"], row.get("prompt")) for row in table["streams"]],
    "dimensions": [tags(row["dimensions"]) for row in table["dimensions"]],
    "reserved": tags({name: 1 for name in table["reserved"]}),
}))
books.close(0)`;
    const [code, output] = await python(['-c', program], {}, table);
    expect(code, output).toBe(0);
    const { responses, streams, dimensions } = JSON.parse(table) as Record<
      string,
      { event: unknown; metadata: unknown }[]
    >;
    expect(JSON.parse(output)).toEqual({
      responses: responses!.map(({ event }) => event),
      streams: streams!.map(({ event }) => event),
      dimensions: dimensions!.map(({ metadata }) => metadata),
      reserved: {},
    });
  });

  test('its wheel is built with the standard tools, and is complete', async ({ skip }) => {
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
