/**
 * Whatever the service responds, each event arrives once or is reported as lost, and an invalid event does not block
 * others.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Books, type BooksOptions, createBooks } from '../../../packages/sdk-node/books.ts';
import { get, graphql } from '../../support/api-client.ts';
import { type FailingFront, startFront } from '../../support/failing-front.ts';
import { freePort } from '../../support/free-port.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { operate, unsignedKey } from '../../support/telemetry.ts';
import { MINUTES, PATIENCE } from '../../support/patience.ts';

// Builds and installs packages, and runs programs with them.
vi.setConfig(MINUTES);

let service: RunningService;
let front: FailingFront;
const errors: unknown[] = [];
const opened: Books[] = [];

beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  front = await startFront(service.url);
  errors.length = 0;
});
afterEach(async () => {
  for (const books of opened.splice(0)) await books.close(0);
  await front.stop();
});

function open(options: BooksOptions = {}): Books {
  const onError = (error: unknown) => errors.push(error);
  const books = createBooks({ url: front.url, apiKey: service.firstRun.live_ingest_key, onError, ...options });
  opened.push(books);
  return books;
}

let last = 0;
const response = (id: string) => ({
  id,
  object: 'chat.completion',
  model: 'gpt-4o',
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
});
function track(books: Books, count: number, more: object = {}): string[] {
  return Array.from({ length: count }, () => {
    const id = `chatcmpl-delivery-${(last += 1)}`;
    books.track({ ...response(id), ...more }, { userId: `end user ${last}` });
    return `openai:${id}`;
  });
}

async function storedEvents(): Promise<number> {
  const range = 'start_date=2020-01-01&end_date=2100-01-01';
  const { body } = await get(service.url, `/usage/summary?${range}`, service.firstRun.live_read_key);
  return body.total_events;
}

test('outcomes survive an outage and take their task from the context, and a correction that arrives before its original takes precedence', async () => {
  const books = open();
  expect(books.stats().outcomes).toMatchObject({ sent: 0, pending: 0, lastError: null });
  const read = async (key: string) =>
    (
      await operate(
        service,
        `query ($key: String!) { outcome(key: $key) { name succeeded task value endUser { externalId } } }`,
        { key },
      )
    ).outcome;
  front.faults.push({ times: 1_000, status: 503 });
  books.with({ userId: 'customer-7', dimensions: { task_id: 'ticket-1' } }, () =>
    books.outcome('sdk-1', { name: 'ticket_resolved', succeeded: false, value: 1.5 }),
  );
  expect(await books.flush(300)).toBe(false);
  // On a busy machine, the first answer comes after the flush has ended.
  await expect.poll(() => books.stats().outcomes.lastError).toMatch(/503/);
  expect(books.stats()).toMatchObject({ pending: 0, lastError: null, outcomes: { sent: 0, pending: 1 } });
  const later = open({ url: service.url });
  later.outcome('sdk-1', { name: 'ticket_resolved', succeeded: true, taskId: 'ticket-1', value: '2.50' });
  expect(await later.flush()).toBe(true);
  front.faults.length = 0;
  expect(await books.flush()).toBe(true);
  expect(await read('sdk-1')).toMatchObject({ succeeded: true, task: 'ticket-1', value: '2.5' });
  books.outcome('sdk-2', { name: 'x', succeeded: true, value: Number.NaN });
  books.outcome('sdk-3', { name: '', succeeded: true });
  expect(await books.flush()).toBe(true);
  expect(books.stats()).toMatchObject({ sent: 0, outcomes: { sent: 1, rejected: 1, pending: 0, dropped: 0 } });
  expect(errors.map(String).join()).toMatch(
    /sdk-2 is not a number.*An outcome was lost: VALIDATION_ERROR: name must be/,
  );
});

test('events are sent in batches of at most a hundred', async () => {
  const [books, before] = [open(), await storedEvents()];
  track(books, 250);
  expect(await books.flush(PATIENCE.timeout)).toBe(true);
  expect([front.requests, (await storedEvents()) - before]).toEqual([[100, 100, 50], 250]);
  expect(books.stats()).toMatchObject({ events: 250, sent: 250, pending: 0, pendingBytes: 0, retries: 0 });
});

test('events are sent automatically', async () => {
  const books = open();
  track(books, 3);
  await expect.poll(() => books.stats().sent).toBe(3);
  expect(front.requests).toEqual([3]);
});

describe('every response except acceptance is retried, and nothing is counted twice', () => {
  test.each([
    ['429', { status: 429, headers: { 'retry-after': '0' } }],
    ['402', { status: 402, headers: { 'retry-after': '0' } }],
    ['500', { status: 500 }],
    ['503', { status: 503, headers: { 'retry-after': '1' } }],
    ['a page of a proxy', { status: 502, body: '<html>' }],
    ['half a body', { cutAfter: 40 }],
    ['no body', { cutAfter: 0 }],
    ['a lost answer', { isLost: true }],
  ])('%s', async (_, fault) => {
    const [books, before] = [open(), await storedEvents()];
    front.faults.push({ times: 2, ...fault });
    track(books, 7);
    expect(await books.flush(30_000)).toBe(true);
    expect((await storedEvents()) - before).toBe(7);
    expect(books.stats()).toMatchObject({ sent: 7, pending: 0, retries: 14, rejected: 0, dropped: 0 });
  });

  test('a service that is unavailable, and comes back', async () => {
    const port = await freePort();
    const [books, before] = [open({ url: `http://127.0.0.1:${port}` }), await storedEvents()];
    track(books, 5);
    expect(await books.flush(2_000)).toBe(false);
    expect(books.stats()).toMatchObject({ sent: 0, pending: 5, lastError: expect.any(String) });
    const later = await startFront(service.url, port);
    expect(await books.flush(30_000)).toBe(true);
    expect((await storedEvents()) - before).toBe(5);
    await later.stop();
  });
});

test('a refused event is reported, kept in a file, and does not block others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'books-letters-'));
  const dropped: string[] = [];
  const deadLetters = join(folder, 'rejected.ndjson');
  const [books, before] = [
    open({ deadLetters, onDrop: (event, reason) => dropped.push(`${event.user_id}: ${reason}`) }),
    await storedEvents(),
  ];
  track(books, 3);
  books.track(response('chatcmpl-bad'), { userId: 'x'.repeat(300) });
  track(books, 3);
  expect(await books.flush(PATIENCE.timeout)).toBe(true);
  expect((await storedEvents()) - before).toBe(6);
  expect(dropped).toEqual([expect.stringMatching(/^x{300}: VALIDATION_ERROR: user_id must be/)]);
  expect(JSON.parse(readFileSync(deadLetters, 'utf8'))).toMatchObject({
    reason: expect.stringContaining('user_id'),
    event: { idempotency_key: 'openai:chatcmpl-bad' },
  });
  expect(books.stats()).toMatchObject({ sent: 6, rejected: 1 });
  rmSync(folder, { recursive: true });
});

test('a batch that is refused as a whole is divided until the invalid event is found', async () => {
  const dropped: string[] = [];
  const books = open({ onDrop: ({ idempotency_key: key }) => dropped.push(key) });
  // The front end refuses batches that contain the invalid event, as a filter in between might.
  const [bad] = track(books, 1, { model: 'gpt-4o' });
  track(books, 4);
  front.faults.push({ times: 4, status: 413 });
  expect(await books.flush(PATIENCE.timeout)).toBe(true);
  expect(front.requests).toEqual([5, 3, 2, 1, 1, 1, 2]);
  expect(dropped).toEqual([bad]);
});

test('events without credit are kept, and sent once there is some', async () => {
  const [books, before] = [open(), await storedEvents()];
  const query =
    'mutation ($allotment: Long!) { planSet(input: { allotment: $allotment }) { credits { __typename } userErrors { message code } } }';
  const { operator_token: operator, organization_id: organization } = service.firstRun;
  const plan = (allotment: number) => graphql(service.url, operator, query, { allotment }, organization);
  const { body } = await plan(2);
  expect(body.errors).toBeUndefined();
  track(books, 5);
  expect(await books.flush(5_000)).toBe(false);
  expect(books.stats()).toMatchObject({
    sent: 2,
    pending: 3,
    rejected: 0,
    lastError: expect.stringContaining('PAYMENT_REQUIRED'),
  });
  await plan(1_000_000);
  expect(await books.flush(30_000)).toBe(true);
  expect((await storedEvents()) - before).toBe(5);
});

describe("mode 'otlp'", () => {
  let unsigned: string;
  beforeAll(async () => {
    unsigned = await unsignedKey(service);
  });
  const openUnsigned = (options: BooksOptions = {}) => open({ apiKey: unsigned, mode: 'otlp', ...options });

  test('sends the same events unsigned, and however often they are sent they count once', async () => {
    const [books, before] = [openUnsigned(), await storedEvents()];
    front.faults.push({ times: 1, isLost: true }, { times: 1, status: 429, headers: { 'retry-after': '0' } });
    const keys = track(books, 150);
    expect(await books.flush(30_000)).toBe(true);
    expect((await storedEvents()) - before).toBe(150);
    expect(books.stats()).toMatchObject({ sent: 150, pending: 0, rejected: 0, dropped: 0 });

    const twice = open();
    last -= 150;
    expect(track(twice, 150)).toEqual(keys);
    expect(await twice.flush(PATIENCE.timeout)).toBe(true);
    expect((await storedEvents()) - before).toBe(150);
  });

  test('keeps all fields of an event, also of one that ended early', async () => {
    const books = openUnsigned();
    const context = { userId: 'ü', sessionId: 's', feature: 'f', dimensions: { team: 'mail', ratio: 0.1 } };
    const event = books.with(context, () => books.track(response(`chatcmpl-otlp-${Date.now()}`)));
    books.record(
      { provider: 'openai', id: 'early', model: 'gpt-4o', usage: null, serviceTier: null, isWhole: false },
      {},
    );
    expect(await books.flush(PATIENCE.timeout)).toBe(true);
    const document = `query ($key: String!) {
      receivedEvent(idempotencyKey: $key) { model provider endUserExternalId sessionId inputTokens outputTokens metadata }
    }`;
    const stored = async (key: string) => (await operate(service, document, { key })).receivedEvent;
    expect(await stored(event!.idempotency_key)).toEqual({
      model: 'gpt-4o',
      provider: 'openai',
      endUserExternalId: 'ü',
      sessionId: 's',
      inputTokens: 10,
      outputTokens: 5,
      metadata: { ...event!.metadata, feature: 'f', provider: 'openai' },
    });
    expect(await stored('openai:early')).toMatchObject({ inputTokens: 0, metadata: { incomplete: true } });
  });

  test('finds the refused event, and does not block others', async () => {
    const dropped: string[] = [];
    const [books, before] = [
      openUnsigned({ onDrop: (event, reason) => dropped.push(`${event.idempotency_key} ${reason}`) }),
      await storedEvents(),
    ];
    track(books, 4);
    books.track(response('chatcmpl-bad-log'), { userId: 'x'.repeat(300) });
    track(books, 4);
    expect(await books.flush(PATIENCE.timeout)).toBe(true);
    expect((await storedEvents()) - before).toBe(8);
    expect(dropped).toEqual([expect.stringMatching(/^openai:chatcmpl-bad-log user_id must be/)]);
    expect(books.stats()).toMatchObject({ sent: 8, rejected: 1, pending: 0 });
  });

  test('keeps events without credit', async () => {
    const [books, before] = [openUnsigned(), await storedEvents()];
    const query =
      'mutation ($allotment: Long!) { planSet(input: { allotment: $allotment }) { credits { allotmentLeft } userErrors { message code } } }';
    const {
      planSet: { credits },
    } = await operate(service, query, { allotment: 1_000_000 });
    await operate(service, query, { allotment: 1_000_000 - credits.allotmentLeft + 3 });
    track(books, 5);
    expect(await books.flush(5_000)).toBe(false);
    expect(books.stats()).toMatchObject({ rejected: 0, dropped: 0, lastError: expect.stringMatching(/PAYMENT/) });
    await operate(service, query, { allotment: 1_000_000 });
    expect(await books.flush(30_000)).toBe(true);
    expect((await storedEvents()) - before).toBe(5);
  });

  test('nothing is lost if the key must sign', async () => {
    const books = openUnsigned({ apiKey: service.firstRun.live_ingest_key });
    track(books, 2);
    expect(await books.flush(60_000)).toBe(false);
    expect(books.stats()).toMatchObject({ pending: 2, rejected: 0, lastError: expect.stringMatching(/^403/) });
  });
});

test("a wrong clock is corrected by the service's time", async () => {
  const books = open({ url: service.url });
  const { now } = Date;
  Date.now = () => now() - 3_600_000;
  try {
    track(books, 2);
    expect(await books.flush(PATIENCE.timeout)).toBe(true);
  } finally {
    Date.now = now;
  }
});

test('nothing is lost if the key is refused', async () => {
  const books = open({ apiKey: service.firstRun.live_read_key });
  track(books, 2);
  expect(await books.flush(60_000)).toBe(false);
  expect(books.stats()).toMatchObject({ pending: 2, sent: 0, lastError: expect.stringMatching(/^40[13]/) });
});

describe('problems that someone must fix are reported once, and every lost event has a reason', () => {
  test.each([
    ['an unknown key', () => 'sk_live_wrong', /^The service rejected the API key: 401/],
    ['a key that may not write', () => service.firstRun.live_read_key, /^The service rejected the API key: 403/],
  ])('%s: no flush waits for it', async (_, key, said) => {
    const dropped: string[] = [];
    const books = open({ apiKey: key(), onDrop: (_event, reason) => dropped.push(reason) });
    track(books, 2);
    expect([await books.flush(600_000), await books.flush(600_000)]).toEqual([false, false]);
    expect(errors.map((error) => (error as Error).message)).toEqual([expect.stringMatching(said)]);
    expect(await books.close(600_000)).toBe(false);
    expect(dropped).toHaveLength(2);
    expect(dropped[0]).toMatch(/^Not delivered before close\(\)\. Last problem: 40[13]/);
    expect(books.stats()).toMatchObject({ dropped: 2, pending: 0 });
  });

  test('a wrong address', async () => {
    const books = open();
    front.faults.push({ times: 2, status: 404, body: '<html>' });
    track(books, 1);
    expect(await books.flush(60_000)).toBe(true);
    expect(errors.map(String)).toEqual([expect.stringMatching(/does not respond like the service.*: 404 <html>/)]);
    open({ url: 'localhost:8080' });
    expect(String(errors[1])).toContain('localhost:8080 is not a valid URL');
  });

  test('a service that is unavailable for more than a minute', async () => {
    const books = open({ url: `http://127.0.0.1:${await freePort()}` });
    const { now } = Date;
    track(books, 1);
    await books.flush(2_000);
    expect(errors).toEqual([]);
    Date.now = () => now() + 61_000;
    try {
      await books.flush(2_000);
      await books.flush(2_000);
    } finally {
      Date.now = now;
    }
    expect(errors.map(String)).toEqual([
      expect.stringMatching(/has not been reached for more than a minute: .*ECONNREFUSED/),
    ]);
  });

  test('the key is checked once, before the first batch', async () => {
    const paths: string[] = [];
    const books = open({
      url: service.url,
      apiKey: service.firstRun.test_ingest_key,
      fetch: (input, init) => {
        paths.push(new URL(String(input)).pathname);
        return fetch(input, init);
      },
    });
    for (const _ of [1, 2]) {
      track(books, 1);
      expect(await books.flush(PATIENCE.timeout)).toBe(true);
    }
    expect(paths).toEqual(['/v1/ping', '/v1/usage-events/batch', '/v1/usage-events/batch']);
  });

  test.each([
    ['a key that is refused', 'sk_live_wrong', /^ai-product-books-sdk: The service rejected the API key: 401/],
    ['no key', '', /^ai-product-books-sdk: No API key/],
  ])('a process with %s ends, and prints the reason in one line', async (_, key, said) => {
    const program = `
import { createBooks } from ${JSON.stringify(new URL('../../../packages/sdk-node/books.ts', import.meta.url).href)};
createBooks().track({ id: 'chatcmpl-1', model: 'gpt-4o', usage: { prompt_tokens: 1 } });`;
    const env = { ...process.env, BOOKS_API_URL: service.url, BOOKS_API_KEY: key, BOOKS_SPOOL: '' };
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { env });
    let output = '';
    child.stderr.on('data', (text: Buffer) => (output += text.toString()));
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
    const lines = output.trim().split('\n');
    expect(lines[0]).toMatch(said);
    expect(lines.every((line) => line.startsWith('ai-product-books-sdk: '))).toBe(true);
  });
});

test('however many clients there are, the process has one listener, and none once everything is sent', async () => {
  const listeners = () => process.listenerCount('beforeExit');
  const before = listeners();
  const clients = Array.from({ length: 12 }, () => open());
  for (const books of clients) track(books, 1);
  expect(listeners()).toBe(before + 1);
  expect(await Promise.all(clients.map((books) => books.flush(PATIENCE.timeout)))).not.toContain(false);
  expect(listeners()).toBe(before);
});

test('the buffer is bounded: the newest are dropped and counted', async () => {
  const dropped: string[] = [];
  const books = open({
    bufferBytes: 1_000,
    onDrop: ({ idempotency_key: key }, reason) => dropped.push(`${key} ${reason}`),
  });
  const keys = track(books, 10);
  const { pending, pendingBytes, dropped: count } = books.stats();
  expect([pending + count, dropped.length]).toEqual([10, count]);
  expect(pendingBytes).toBeLessThanOrEqual(1_000);
  expect(dropped).toEqual(keys.slice(pending).map((key) => `${key} The buffer is full`));
  expect(await books.flush(PATIENCE.timeout)).toBe(true);
  expect(books.stats().sent).toBe(pending);
});

describe('no error reaches the caller', () => {
  test.each([undefined, null, 'text', 42, {}, [], { usage: null }, { usage: { prompt_tokens: -1 } }, new Error('x')])(
    'track(%j)',
    (value) => {
      const books = open();
      expect(() => books.track(value)).not.toThrow();
      expect(() => books.track(value, null as never)).not.toThrow();
    },
  );

  test('callbacks that throw', async () => {
    const books = open({
      bufferBytes: 1,
      onDrop() {
        throw new Error('Mine');
      },
      onError() {
        throw new Error('Mine too');
      },
    });
    expect(() => track(books, 1)).not.toThrow();
  });

  test('no key: the calls continue', async () => {
    const dropped: string[] = [];
    const books = open({ apiKey: '', onDrop: (_event, reason) => dropped.push(reason) });
    track(books, 2);
    expect(errors.map(String).join()).toContain('BOOKS_API_KEY');
    expect(dropped).toEqual(Array.from({ length: 2 }, () => expect.stringContaining('No API key')));
    expect(books.stats()).toMatchObject({ pending: 0, dropped: 2 });
    expect(await books.flush(600_000)).toBe(true);
    expect((await books.fetch(`${service.url}/healthz`)).status).toBe(200);
  });
});

test('the inner context takes precedence, and headers are read and removed', async () => {
  const books = open();
  const seen: Headers[] = [];
  const metered = open({
    fetch: async (_, init) => {
      seen.push(new Headers(init?.headers));
      return Response.json(response(`chatcmpl-context-${(last += 1)}`));
    },
  });
  const event = books.with({ userId: 'outer', sessionId: 's', dimensions: { team: 'a', region: 'x' } }, () =>
    books.with({ userId: 'inner', dimensions: { team: 'b' } }, () =>
      books.track(response('chatcmpl-with'), { agentId: 'agent' }),
    ),
  );
  expect(event).toMatchObject({
    user_id: 'inner',
    session_id: 's',
    agent_id: 'agent',
    metadata: { team: 'b', region: 'x' },
  });
  const headers = {
    authorization: 'Bearer provider',
    'x-books-user-id': 'by header',
    'x-books-dimensions': '{"team":"c"}',
    'x-books-unknown': 'x',
  };
  await metered.with({ sessionId: 'session' }, () =>
    metered.fetch('https://api.openai.com/v1/chat/completions', {
      method: 'POST',
      body: '{"model":"gpt-4o"}',
      headers,
    }),
  );
  expect([...seen[0]!.keys()]).toEqual(['authorization']);
  await metered.fetch('https://example.com/other', { headers });
  expect([...seen[1]!.keys()]).toEqual(['authorization']);
});

test('waitUntil holds the runtime until the event is delivered', async () => {
  const promises: Promise<unknown>[] = [];
  const books = open({
    waitUntil: (promise) => promises.push(promise),
    fetch: (input, init) =>
      String(input).startsWith(front.url)
        ? fetch(input, init)
        : Promise.resolve(Response.json(response('chatcmpl-edge'))),
  });
  await (await books.fetch('https://api.openai.com/v1/chat/completions', { method: 'POST', body: '{}' })).text();
  expect(promises).toHaveLength(1);
  await promises[0];
  expect(books.stats()).toMatchObject({ sent: 1, pending: 0 });
});
