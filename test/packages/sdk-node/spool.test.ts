/**
 * Processes end in any way, disks fill up, and the service is unavailable: every response that a caller received
 * eventually becomes an event.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createBooks } from '../../../packages/sdk-node/books.ts';
import { get } from '../../support/api-client.ts';
import { startFront } from '../../support/failing-front.ts';
import { freePort } from '../../support/free-port.ts';
import { type ProviderStandIn, startProviders } from '../../support/provider-stand-in.ts';
import { projectPath } from '../../support/project-files.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { operate } from '../../support/telemetry.ts';
import { MINUTES, PATIENCE } from '../../support/patience.ts';

// Builds and installs packages, and runs programs with them.
vi.setConfig(MINUTES);

let service: RunningService;
let providers: ProviderStandIn;
let spool: string;
let before: number;
/** Id of the last event stored before the test. */
let lastId: string;
/** Ids of responses that their callers have received. */
let known: Set<string>;

beforeAll(async () => {
  [service, providers] = [await sharedService(), await startProviders()];
});
afterAll(async () => {
  await providers.stop();
  await service.stop();
});
beforeEach(async () => {
  spool = mkdtempSync(join(tmpdir(), 'books-spool-'));
  before = await storedEvents();
  const {
    receivedEvents: { nodes: receivedEvents },
  } = await operate(service, '{ receivedEvents(first: 1) { nodes { id } } }');
  lastId = receivedEvents[0]?.id ?? '00000000-0000-0000-0000-000000000000';
  known = new Set();
  providers.billed.length = 0;
});
afterEach(() => rmSync(spool, { recursive: true, force: true }));

async function storedEvents(): Promise<number> {
  const range = 'start_date=2020-01-01&end_date=2100-01-01';
  const { body } = await get(service.url, `/usage/summary?${range}`, service.firstRun.live_read_key);
  return body.total_events;
}

interface Metered {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  readonly errors: () => string;
}

function start(calls: number, env: Readonly<Record<string, string>> = {}, wrap: readonly string[] = []): Metered {
  const [command, ...args] = [...wrap, process.execPath, 'test/support/metered-process.ts', String(calls)];
  const child = spawn(command!, args, {
    env: {
      ...process.env,
      PROVIDERS: providers.url,
      BOOKS_API_URL: service.url,
      BOOKS_API_KEY: service.firstRun.live_ingest_key,
      BOOKS_SPOOL: spool,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let rest = '';
  let errors = '';
  child.stderr.on('data', (text: Buffer) => (errors += text.toString()));
  child.stdout.on('data', (text: Buffer) => {
    const lines = (rest + text.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) known.add(line);
  });
  return { child, ended: new Promise((resolve) => child.once('close', resolve)), errors: () => errors };
}

/** Events left by earlier processes are sent by the next one. */
async function adopt(): Promise<void> {
  const { ended, errors } = start(0, { STATS: '1' });
  expect(await ended, errors()).toBe(0);
  await settled();
}

/** The stand-in also counts requests of a process that was killed during them. */
async function settled(): Promise<void> {
  for (let count = -1; count !== providers.billed.length; await pause(50)) count = providers.billed.length;
}

/**
 * Each billed response is exactly one event. Of responses whose caller was killed before receiving them, at most
 * `lostMax` may be missing.
 */
async function expectEvents(lostMax = 0): Promise<void> {
  const stored = await storedIds();
  const billed = new Set(providers.billed.map(({ id }) => id));
  expect(billed.size).toBeGreaterThan(0);
  expect([...known].filter((id) => !billed.has(id))).toEqual([]);
  expect([...known].filter((id) => !stored.has(id))).toEqual([]);
  expect([...stored].filter((id) => !billed.has(id))).toEqual([]);
  expect((await storedEvents()) - before).toBe(stored.size);
  expect(billed.size - stored.size).toBeLessThanOrEqual(lostMax);
}

/** Ids of provider responses that have become events since the test began. */
async function storedIds(): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let place = lastId; ;) {
    const page: { id: string; idempotencyKey: string }[] = (
      await operate(
        service,
        `{ receivedEvents(receivedAfter: "${place}", first: 200) { nodes { id idempotencyKey } } }`,
      )
    ).receivedEvents.nodes;
    for (const { idempotencyKey: key } of page) ids.add(key.replace(/^openai:/, ''));
    if (page.length < 200) return ids;
    place = page.at(-1)!.id;
  }
}

test('a process that ends by itself delivers its events first', async () => {
  expect(await start(10).ended).toBe(0);
  expect(providers.billed).toHaveLength(30);
  await expectEvents();
  expect(readdirSync(spool).filter((name) => name.endsWith('.spool'))).toEqual([]);
});

test('a process that ends by itself delivers its outcomes too, and leaves no files', async () => {
  const key = `outcome-${spool}`;
  const { ended, errors } = start(1, { OUTCOME: key });
  expect(await ended, errors()).toBe(0);
  const document = `{ outcome(key: ${JSON.stringify(key)}) { name } }`;
  expect((await operate(service, document)).outcome).toEqual({ name: 'call' });
  expect(readdirSync(join(spool, 'outcomes')).filter((name) => name.endsWith('.spool'))).toEqual([]);
});

test('a process that ends by itself delivers its events without a spool too', async () => {
  expect(await start(10, { BOOKS_SPOOL: '' }).ended).toBe(0);
  await expectEvents();
});

test('kill -9, again and again: at most the running calls are lost', async () => {
  const rounds = 3;
  for (let round = 0; round < rounds; round++) {
    const [{ child, ended }, had] = [start(0, { MODE: 'loop' }), known.size];
    await expect.poll(() => known.size - had).toBeGreaterThan(5 + 10 * round);
    child.kill('SIGKILL');
    await ended;
  }
  await adopt();
  await expectEvents(3 * rounds);
});

test('kill -9 while the service is unavailable', async () => {
  const away = { BOOKS_API_URL: `http://127.0.0.1:${await freePort()}`, MODE: 'loop' };
  const { child, ended } = start(0, away);
  await expect.poll(() => known.size).toBeGreaterThan(15);
  child.kill('SIGKILL');
  await ended;
  expect(await storedEvents()).toBe(before);
  await adopt();
  await expectEvents(3);
});

test.each([503, 402, 401])('kill -9 after the service responded %d to a batch', async (status) => {
  const front = await startFront(service.url);
  front.faults.push({ times: Infinity, status });
  const { child, ended } = start(0, { BOOKS_API_URL: front.url, MODE: 'loop' });
  // The second request shows that the process has read the answer to the first.
  await expect.poll(() => front.requests.length).toBeGreaterThan(1);
  child.kill('SIGKILL');
  await ended;
  await front.stop();
  expect(await storedEvents()).toBe(before);
  await adopt();
  await expectEvents(3);
});

/** The process's clock runs sixty times as fast: its waits, signatures and events cover ten minutes. */
test.each([
  ['with a spool', () => spool],
  ['in memory alone', () => ''],
])('ten minutes without the service, %s', async (_, directory) => {
  const port = await freePort();
  const callsOfTenMinutes = 600;
  const { ended, errors } = start(callsOfTenMinutes / 3 + 20, {
    BOOKS_API_URL: `http://127.0.0.1:${port}`,
    BOOKS_SPOOL: directory(),
    NODE_OPTIONS: `--import=${pathToFileURL(projectPath('test/support/fast-clock.ts')).href}`,
    CLOCK_TIMES: '60',
    PAUSE_MS: '3000',
    FLUSH_MS: '3600000',
    STATS: '1',
  });
  await expect.poll(() => known.size).toBeGreaterThan(callsOfTenMinutes);
  expect(await storedEvents()).toBe(before);
  const front = await startFront(service.url, port);
  expect(await ended, errors()).toBe(0);
  await front.stop();
  const stats = JSON.parse(errors().trim().split('\n').at(-1)!);
  expect(stats).toMatchObject({ events: callsOfTenMinutes + 60, sent: callsOfTenMinutes + 60, pending: 0, dropped: 0 });
  await expectEvents();
});

test('a process that closes the library at SIGTERM loses nothing', async () => {
  for (const kept of [spool, '']) {
    const had = known.size;
    const { child, ended } = start(0, { MODE: 'polite', BOOKS_SPOOL: kept });
    await expect.poll(() => known.size - had).toBeGreaterThan(15);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  }
  await expectEvents();
});

test('SIGTERM to a process that does not close the library loses at most three calls', async () => {
  const { child, ended } = start(0, { MODE: 'loop' });
  await expect.poll(() => known.size).toBeGreaterThan(15);
  child.kill('SIGTERM');
  await ended;
  await adopt();
  await expectEvents(3);
});

test('a process and its children share a directory', async () => {
  expect(await start(5, { MODE: 'parent' }).ended).toBe(0);
  expect(providers.billed).toHaveLength(60);
  await expectEvents();
});

test('a file of a running process is left to it', async () => {
  const { child, ended } = start(0, { MODE: 'loop', BOOKS_API_URL: `http://127.0.0.1:${await freePort()}` });
  try {
    await expect.poll(() => known.size).toBeGreaterThan(10);
    const files = readdirSync(spool);
    // The other process continues, so not everything is delivered.
    const { ended: adopted, errors } = start(0, { STATS: '1' });
    expect(await adopted, errors()).toBe(0);
    expect([files, await storedEvents()]).toEqual([readdirSync(spool), before]);
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
});

describe('a full disk', () => {
  test('by a file size limit: memory holds what the disk cannot', async () => {
    // Blocks of 512 or 1,024 bytes, i.e. a few events.
    const { ended, errors } = start(20, { STATS: '1' }, ['sh', '-c', 'ulimit -f 4; exec "$@"', 'sh']);
    expect(await ended, errors()).toBe(0);
    expect(JSON.parse(errors())).toMatchObject({ events: 60, sent: 60, pending: 0 });
    expect(JSON.parse(errors()).spoolErrors).toBeGreaterThan(0);
    await expectEvents();
  });

  test('by a tiny file system: memory holds what the disk cannot', async ({ skip }) => {
    const disk = join(spool, 'disk');
    mkdirSync(disk);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8k', 'tmpfs', disk], { stdio: 'ignore' });
    } catch {
      skip('No file system can be mounted here');
    }
    try {
      const { ended, errors } = start(20, { STATS: '1', BOOKS_SPOOL: disk });
      expect(await ended, errors()).toBe(0);
      expect(JSON.parse(errors())).toMatchObject({ events: 60, sent: 60 });
      await expectEvents();
    } finally {
      execFileSync('umount', [disk]);
    }
  });
});

describe('in this process', () => {
  const response = (id: string) => ({
    id,
    object: 'chat.completion',
    model: 'gpt-4o',
    usage: { prompt_tokens: 10, completion_tokens: 5 },
  });
  const options = () => ({ apiKey: service.firstRun.live_ingest_key, spool, onError: () => {} });

  test('events that do not fit in memory are in the spool, and are sent later', async () => {
    const port = await freePort();
    const books = createBooks({ ...options(), url: `http://127.0.0.1:${port}`, bufferBytes: 2_000 });
    for (let count = 0; count < 100; count++) books.track(response(`chatcmpl-spilled-${count}`));
    expect(books.stats()).toMatchObject({ events: 100, pending: 100, dropped: 0 });
    expect(books.stats().pendingBytes).toBeLessThanOrEqual(2_000);
    const front = await startFront(service.url, port);
    expect(await books.flush(30_000)).toBe(true);
    expect((await storedEvents()) - before).toBe(100);
    expect(books.stats()).toMatchObject({ sent: 100, pending: 0, pendingBytes: 0 });
    await books.close();
    await front.stop();
    expect(readdirSync(spool)).toEqual([]);
  });

  test('torn lines are skipped, the others are sent', async () => {
    const gone = join(spool, `elsewhere.1.1.x.spool`);
    const event = (id: string) =>
      JSON.stringify({
        idempotency_key: `openai:${id}`,
        model: 'gpt-4o',
        input_tokens: 1,
        output_tokens: 1,
        event_invoked_at: '2026-11-20T20:00:00Z',
        metadata: {},
      });
    writeFileSync(gone, `1 ${event('torn-1')}\n2 ${event('torn-2').slice(0, 60)}\n3 ${event('torn-3')}\n-1;\n-3`);
    appendFileSync(gone, '');
    // Written on another machine long ago.
    execFileSync('touch', ['-d', '2026-01-01', gone]);
    const books = createBooks({ ...options(), url: service.url });
    expect(books.stats().pending).toBe(1);
    expect(await books.flush(PATIENCE.timeout)).toBe(true);
    await books.close();
    expect([(await storedEvents()) - before, readdirSync(spool)]).toEqual([1, []]);
  });

  test('a file of another machine is left alone while it may be written', async () => {
    writeFileSync(join(spool, 'elsewhere.1.1.x.spool'), '');
    const books = createBooks({ ...options(), url: service.url });
    await books.close();
    expect(readdirSync(spool)).toEqual(['elsewhere.1.1.x.spool']);
  });

  test('a refused event is kept next to the spool', async () => {
    const books = createBooks({ ...options(), url: service.url });
    books.track(response('chatcmpl-refused'), { userId: 'x'.repeat(300) });
    expect(await books.flush(PATIENCE.timeout)).toBe(true);
    await books.close();
    expect(readFileSync(join(spool, 'rejected.ndjson'), 'utf8')).toContain('openai:chatcmpl-refused');
  });

  test('a directory that cannot be created does not affect the calls', async () => {
    const errors: unknown[] = [];
    writeFileSync(join(spool, 'file'), '');
    const books = createBooks({
      ...options(),
      url: service.url,
      spool: join(spool, 'file', 'none'),
      onError: (error) => errors.push(error),
    });
    expect(books.track(response('chatcmpl-nowhere'))).not.toBeNull();
    expect(await books.flush(PATIENCE.timeout)).toBe(true);
    expect(errors).toHaveLength(1);
    await books.close();
  });
});
