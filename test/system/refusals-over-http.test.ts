/** Requests that are refused, as bytes on a connection: each gets its own status, and an id that leads to the log. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange as exchangeAt, requestHead } from '../support/exchange.ts';
import { freePort } from '../support/free-port.ts';
import { runningService, type RunningService } from '../support/running-service.ts';
import { sendTo, unsignedKey } from '../support/telemetry.ts';

const MIB = 1024 * 1024;
let service: RunningService;
let key: string;
let port: number;
beforeAll(async () => {
  port = await freePort();
  service = await runningService({ PORT: String(port) });
  key = await unsignedKey(service);
});
afterAll(() => service.stop());

const exchange = (parts: Iterable<string | Buffer>) => exchangeAt(port, parts);
const head = (line: string, ...headers: readonly string[]) => requestHead(line, 'Connection: close', ...headers);
const bearer = () => `Authorization: Bearer ${key}`;
const JSON_TYPE = 'Content-Type: application/json';

describe('a request that is refused has a correlation id', () => {
  const long = 'a'.repeat(40_000);
  it.each<readonly [string, number, () => string]>([
    ['a line that is not HTTP', 400, () => 'HELLO\r\n\r\n'],
    ['an unknown method', 400, () => head('FETCH /v1/ping HTTP/1.1')],
    ['a header without a colon', 400, () => 'GET /v1/ping HTTP/1.1\r\nHost localhost\r\n\r\n'],
    [
      'two lengths of the body',
      400,
      () => head('POST /v1/usage-events HTTP/1.1', 'Content-Length: 2', 'Content-Length: 3'),
    ],
    ['a length that is not a number', 400, () => head('POST /v1/usage-events HTTP/1.1', 'Content-Length: two')],
    ['headers that are too large', 431, () => head('GET /v1/ping HTTP/1.1', `X-Long: ${long}`)],
    ['a URL that is too long', 431, () => head(`GET /v1/${long} HTTP/1.1`)],
    ['a URL with a broken escape', 400, () => head('GET /v1/usage-events/%FF HTTP/1.1', bearer())],
    ['a URL with half an escape', 400, () => head('GET /v1/%E0%A4%A HTTP/1.1', bearer())],
    ['an unknown path of /v1', 404, () => head('GET /v1/nothing HTTP/1.1', bearer())],
    ['an unknown path of /ext/v1', 404, () => head('GET /ext/v1/nothing HTTP/1.1', bearer())],
    ['a method that a path does not have', 404, () => head('DELETE /v1/ping HTTP/1.1', bearer())],
    ['a read without a key', 401, () => head('GET /v1/ping HTTP/1.1')],
    [
      'a key with bytes that are not ASCII',
      401,
      () => head('GET /v1/ping HTTP/1.1', 'Authorization: Bearer caf\u00e9'),
    ],
    [
      'a chunk whose size is not a number',
      400,
      () => `${head('POST /ext/v1/litellm HTTP/1.1', bearer(), JSON_TYPE, 'Transfer-Encoding: chunked')}zz\r\n`,
    ],
  ])('%s: %i', async (_what, status, request) => {
    const [answer] = await exchange([Buffer.from(request(), 'latin1')]);
    expect([answer?.status, answer?.correlationId]).toEqual([status, expect.stringMatching(/^[\w.:-]{8,}$/)]);
    expect(answer?.body).toContain(answer?.correlationId);
  });
});

describe('a body that is too large', () => {
  const chunk = `${(64 * 1024).toString(16)}\r\n${' '.repeat(64 * 1024)}\r\n`;
  function* chunked(request: string): Generator<string> {
    yield request;
    for (let sent = 0; sent < 6 * MIB; sent += 64 * 1024) yield chunk;
    yield '0\r\n\r\n';
  }

  it.each([
    '/v1/usage-events/batch',
    '/ext/v1/provider-responses',
    '/ext/v1/litellm',
    '/otlp/v1/traces',
    '/mcp',
    '/graphql',
  ])('is answered with 413 while it arrives in chunks: %s', async (path) => {
    const answers = await exchange(
      chunked(
        head(`POST ${path} HTTP/1.1`, bearer(), JSON_TYPE, 'Accept: application/json', 'Transfer-Encoding: chunked'),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([413]);
    expect(answers[0]?.correlationId).toBeDefined();
  });

  it('is answered with 413 after 100 Continue, or without', async () => {
    const request = head(
      'POST /ext/v1/litellm HTTP/1.1',
      bearer(),
      JSON_TYPE,
      `Content-Length: ${6 * MIB}`,
      'Expect: 100-continue',
    );
    const answers = await exchange([request, ...Array.from({ length: 96 }, () => ' '.repeat(64 * 1024))]);
    expect(answers.map(({ status }) => status).filter((status) => status !== 100)).toEqual([413]);
  });
});

describe('the coding of a body on /v1', () => {
  const event = (id: string) =>
    JSON.stringify([
      { idempotency_key: id, model: 'm', input_tokens: 1, output_tokens: 1, event_invoked_at: '2026-06-15T00:00:00Z' },
    ]);

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['GZIP', gzipSync],
    ['gzip, gzip', (body: string) => gzipSync(gzipSync(body))],
  ] as const)('%s is refused with 415 that names it, with and without a length', async (coding, pack) => {
    const body = pack(event(`coded-${coding}`));
    const headers = [
      `Authorization: Bearer ${service.firstRun.live_ingest_key}`,
      JSON_TYPE,
      `Content-Encoding: ${coding}`,
    ];
    const line = 'POST /v1/usage-events/batch HTTP/1.1';
    const chunks = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);
    const requests = [
      [head(line, ...headers, `Content-Length: ${body.length}`), body],
      [head(line, ...headers, 'Transfer-Encoding: chunked'), chunks],
    ];
    for (const request of requests) {
      const [answer] = await exchange(request);
      expect([answer?.status, answer?.body]).toEqual([415, expect.stringContaining('UNSUPPORTED_MEDIA_TYPE')]);
      expect(answer?.body.toLowerCase()).toContain(`content-encoding ${coding.toLowerCase()}`);
    }
  });
});

/** The text of a value is the same in every position, so a byte is invalid in every position. */
describe('bytes that are not UTF-8', () => {
  const latin1 = Buffer.from([0xe9]);
  const invalid: readonly (readonly [string, Buffer])[] = [
    ['Latin-1', latin1],
    ['a lone continuation byte', Buffer.from([0x80])],
    ['an overlong slash', Buffer.from([0xc0, 0xaf])],
    ['a surrogate in UTF-8', Buffer.from([0xed, 0xa0, 0x80])],
    ['beyond Unicode', Buffer.from([0xf4, 0x90, 0x80, 0x80])],
    ['a sequence that ends too early', Buffer.from([0xe2, 0x82])],
  ];
  const bodies: Readonly<Record<string, readonly [string, string]>> = {
    '/ext/v1/litellm': ['{"id":"', '","model":"m","prompt_tokens":1}'],
    '/ext/v1/provider-responses': [
      '{"id":"r","model":"m","metadata":{"deep":{"er":["',
      '"]}},"usage":{"prompt_tokens":1}}',
    ],
    '/otlp/v1/traces': ['{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"', '"}]}]}]}'],
    '/otlp/v1/logs': ['{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":[{"key":"', '"}]}]}]}]}'],
    '/mcp': ['{"jsonrpc":"2.0","id":1,"method":"', '"}'],
    '/graphql': ['{"query":"{ __typename }","operationName":"', '"}'],
  };

  it.each(Object.keys(bodies).flatMap((path) => invalid.map(([what, bytes]) => [path, what, bytes] as const)))(
    '%s refuses %s',
    async (path, _what, bytes) => {
      const [before = '', after = ''] = bodies[path] ?? [];
      const body = Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);
      const { status, headers } = await sendTo(service.url, path, key, body, {
        headers: { accept: 'application/json' },
      });
      expect([status, headers.get('x-correlation-id')]).toEqual([400, expect.any(String)]);
    },
  );

  it.each(Object.keys(bodies))('%s takes a byte order mark, and refuses UTF-16 and UTF-32', async (path) => {
    const text = (bodies[path] ?? []).join('x');
    const send = async (body: Buffer) =>
      (await sendTo(service.url, path, key, body, { headers: { accept: 'application/json' } })).status;
    const plain = await send(Buffer.from(text));
    expect(await send(Buffer.from(`\ufeff${text}`))).toBe(plain);
    const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le');
    const utf32 = Buffer.from([0xff, 0xfe, 0, 0, ...[...text].flatMap((one) => [one.charCodeAt(0), 0, 0, 0])]);
    for (const body of [utf16, Buffer.from(utf16).swap16(), utf32]) expect(await send(body)).toBe(400);
  });
});

describe('what a client of MCP accepts', () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  };
  it.each([
    ['application/json', 200],
    ['*/*', 200],
    ['application/*', 200],
    ['application/json;q=0.5', 200],
    ['text/event-stream, application/json', 200],
    ['APPLICATION/JSON', 200],
    ['text/html, */*;q=0.1', 200],
    ['text/html', 406],
    ['application/json;q=0', 406],
  ])('%s: %i', async (accept, status) => {
    const own = service.firstRun.live_read_key;
    const answer = await sendTo(service.url, '/mcp', own, initialize, { headers: { accept } });
    expect(answer.status).toBe(status);
  });
});

describe('the metadata of the resource', () => {
  it.each([
    ['localhost', 'localhost'],
    ['127.0.0.1', '127.0.0.1'],
    ['[::1]', '[::1]'],
  ])('requested at %s names that host', async (host, named) => {
    const [answer] = await exchange([
      `GET /.well-known/oauth-protected-resource/mcp HTTP/1.1\r\nHost: ${host}:${port}\r\nConnection: close\r\n\r\n`,
    ]);
    expect(answer?.status).toBe(200);
    expect(answer?.body).toContain(`"resource":"http://${named}:${port}/mcp"`);
  });

  it('requested at a foreign host names our own', async () => {
    const [answer] = await exchange([
      'GET /.well-known/oauth-protected-resource/mcp HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
    ]);
    expect(answer?.body ?? '').not.toContain('evil.example');
  });
});
