/** Any request body, at any endpoint: its size is limited before it is read, and nobody else waits for it. */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request as httpRequest } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { graphql, sign } from '../support/api-client.ts';
import { leastStretch } from '../support/longest-stretch.ts';
import { runningService, type RunningService } from '../support/running-service.ts';
import { freePort } from '../support/free-port.ts';
import { operate, sendTo, traces, unsignedKey } from '../support/telemetry.ts';
import { signedIn } from '../support/visitor.ts';
import { MINUTES } from '../support/patience.ts';

// Sends large or very many bodies.
vi.setConfig(MINUTES);

const MIB = 1024 * 1024;
let service: RunningService;
let key: string;
/** A key that may import bills. */
let fileKey: string;
beforeAll(async () => {
  service = await runningService({ PORT: String(await freePort()) });
  key = await unsignedKey(service);
  const { apiKeyCreate } = await operate(
    service,
    'mutation { apiKeyCreate(input: { name: "Bills", environment: "live", scopes: ["bills:write"] }) { createdApiKey { secret } userErrors { message } } }',
  );
  fileKey = apiKeyCreate.createdApiKey.secret;
});
afterAll(() => service.stop());

/** Takes files of any type and coding, of up to 64 MiB. */
const FILES = '/ext/v1/bills';

/**
 * Every path with a JSON or form body: those of the OpenAPI document, which is generated from the route tables, and
 * the two that it does not describe.
 */
async function paths(): Promise<string[]> {
  const { paths: described } = (await (await fetch(`${service.url}/openapi.json`)).json()) as {
    paths: Record<string, { post?: { requestBody?: object } }>;
  };
  const named = Object.entries(described).flatMap(([path, { post }]) =>
    post?.requestBody && path !== FILES ? [path] : [],
  );
  expect(named).toEqual(expect.arrayContaining(['/usage-events', '/ext/v1/litellm', '/otlp/v1/traces']));
  const served = named.map((path) => (/^\/(?:ext|otlp|v1)\//.test(path) ? path : `/v1${path}`));
  return [...served, '/mcp', '/graphql'];
}

const filled = (value: string, bytes: number) => `${`${value},`.repeat(bytes / (value.length + 1))}${value}`;
const SMALLEST: readonly (readonly [string, (bytes: number) => string])[] = [
  ...['{}', '[]', '0', '""', 'null', 'true'].map(
    (value) => [`an array of ${value}`, (bytes: number) => `[${filled(value, bytes)}]`] as const,
  ),
  ['lines of {}', (bytes) => '{}\n'.repeat(bytes / 3)],
  ['empty resources', (bytes) => `{"resourceSpans":[${filled('{}', bytes)}]}`],
  ['empty attributes', (bytes) => `{"resourceSpans":[{"resource":{"attributes":[${filled('{}', bytes)}]}}]}`],
  ['empty variables', (bytes) => `{"query":"{__typename}","variables":{"a":[${filled('{}', bytes)}]}}`],
  ['escaped quotes', (bytes) => `["${'\\"'.repeat(bytes / 2)}"]`],
  ['blank lines', (bytes) => '\n'.repeat(bytes)],
  ['one long number', (bytes) => '1'.repeat(bytes)],
  ['an array of one long number', (bytes) => `[${'1'.repeat(bytes)}]`],
  ['an array of one long string', (bytes) => `["${'x'.repeat(bytes)}"]`],
];

const SMALLEST_FIELDS: readonly (readonly [string, (bytes: number) => string])[] = [
  ['separators', (bytes) => '&'.repeat(bytes)],
  ['empty fields', (bytes) => 'a&'.repeat(bytes / 2)],
  ['escapes', (bytes) => `a=${'%41'.repeat(bytes / 3)}`],
];

const KIB = 1024;

/** Bytes of the smallest values, just below the limit of values. */
const MOST_VALUES = 400 * KIB;

/** Just below the size limit of a path. */
function sizeLimitOf(path: string): number {
  if (mayPack(path)) return 15 * MIB;
  if (isForm(path) || path.startsWith('/v1/oauth/')) return 63 * KIB;
  return path === '/mcp' ? MIB - KIB : 4 * MIB - KIB;
}

const mayPack = (path: string): boolean => /^\/(?:otlp|ext\/v1\/(?:provider-responses|litellm|outcomes)$)/.test(path);
const isForm = (path: string): boolean => /^\/v1\/oauth\/(?:token|device|revoke)|^\/sign-in/.test(path);

/** Packing fifteen megabytes takes longer than sending them, and several paths get the same body. */
let packed: { readonly text: string; readonly body: Buffer<ArrayBuffer> } | undefined;
function pack(text: string): Buffer<ArrayBuffer> {
  if (packed?.text !== text) packed = { text, body: gzipSync(text, { level: 1 }) };
  return packed.body;
}

function signedRequest(path: string, text: string, isPacked: boolean): RequestInit {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const body = isPacked ? pack(text) : Buffer.from(text);
  // A signed mutation may be as large as a batch of events.
  const sender = path === '/graphql' ? key : keyOf(path);
  const headers = {
    // These endpoints need no key, and one of them would revoke it.
    ...(path.startsWith('/v1/oauth/') ? {} : { authorization: `Bearer ${sender}` }),
    'content-type': isForm(path) ? 'application/x-www-form-urlencoded' : 'application/json',
    origin: service.url,
    'x-timestamp': timestamp,
    'x-signature': sign(sender, timestamp, body),
    ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
  };
  return { method: 'POST', headers, body };
}

/** Returns the status. Fails if the request blocks for more than 50 ms. */
async function sendWithoutBlocking(path: string, request: RequestInit): Promise<number> {
  let status = 0;
  const stretch = await leastStretch(async () => {
    status = await sendInPieces(path, request);
  }, 50);
  expect(stretch, path).toBeLessThanOrEqual(50);
  return status;
}

/** `fetch` would copy a large body at once, on the thread whose blocking is measured. */
async function sendInPieces(path: string, request: RequestInit): Promise<number> {
  const { headers, body } = request;
  if (!(body instanceof Buffer)) return statusOf(await fetch(`${service.url}${path}`, request));
  const sent = httpRequest(`${service.url}${path}`, {
    method: 'POST',
    headers: { ...(headers as Record<string, string>), 'content-length': body.length },
  });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  // The service may answer before it has read the body.
  pipeline(Readable.from(piecesOf(body)), sent, () => {});
  const [answer] = await answered;
  await once(answer.resume(), 'end');
  sent.destroy();
  return answer.statusCode ?? 0;
}

function* piecesOf(body: Buffer): Generator<Buffer> {
  for (let from = 0; from < body.length; from += 64 * KIB) yield body.subarray(from, from + 64 * KIB);
}

async function statusOf(answer: Response): Promise<number> {
  await answer.arrayBuffer();
  return answer.status;
}

describe('bodies of the smallest values block nobody for 50 ms', () => {
  /** Sends `text` to each of the paths. */
  async function expectAnswers(named: readonly string[], text: string): Promise<void> {
    for (const path of named) {
      const status = await sendWithoutBlocking(path, signedRequest(path, text, mayPack(path)));
      expect(status, path).toBeLessThan(500);
      // A rejected caller would prove nothing.
      if (!path.startsWith('/v1/oauth/')) expect([401, 403, 429], path).not.toContain(status);
    }
  }

  it.each(SMALLEST)('%s, at every path', async (_name, make) => {
    for (const [bytes, named] of Map.groupBy(await paths(), (path) => Math.min(MOST_VALUES, sizeLimitOf(path))))
      await expectAnswers(named, make(bytes));
  });

  // Paths with the same limit share the code that reads their bodies, so each gets only some of the largest ones.
  it.each(SMALLEST.map(([name, make], index) => [name, make, index] as const))(
    '%s, as large as a path of each limit accepts',
    async (_name, make, index) => {
      for (const [bytes, named] of Map.groupBy(await paths(), sizeLimitOf))
        await expectAnswers([named[index % named.length]!], make(bytes));
    },
  );

  it.each(SMALLEST_FIELDS)('a form of %s', async (_name, make) => {
    for (const path of ['/sign-in', ...(await paths()).filter(isForm)]) {
      expect(await sendWithoutBlocking(path, signedRequest(path, make(63 * KIB), false)), path).toBeLessThan(500);
    }
  });

  it('compressed, on a path that accepts no compression: refused without being unpacked', async () => {
    for (const path of (await paths()).filter((one) => !mayPack(one))) {
      const request = signedRequest(path, `[${filled('{}', 15 * MIB)}]`, true);
      expect([path, await sendWithoutBlocking(path, request)]).toEqual([path, 415]);
    }
  });
});

describe('bills block nobody for 50 ms', () => {
  const rows = (count: number, row: (index: number) => object) =>
    Array.from({ length: count }, (_, index) => JSON.stringify(row(index))).join(',');
  const anthropic = rows(30_000, (index) => ({
    amount: `${index}.5`,
    currency: 'USD',
    cost_type: 'tokens',
    token_type: 'uncached_input_tokens',
    model: 'claude-haiku-4-5',
    description: `Claude Haiku 4.5 Usage - Input Tokens ${index}`,
    workspace_id: `wrkspc_${index}`,
  }));
  const openai = rows(30_000, (index) => ({
    object: 'organization.costs.result',
    amount: { value: index, currency: 'usd' },
    line_item: 'gpt-4o-mini, input',
    project_id: `proj_${index}`,
  }));
  const BILLS: readonly (readonly [string, string])[] = [
    [
      'a day of Anthropic with very many rows',
      `{"data":[{"starting_at":"2026-10-05T00:00:00Z","ending_at":"2026-10-06T00:00:00Z","results":[${anthropic}]}]}`,
    ],
    [
      'a day of OpenAI with very many rows',
      `{"object":"page","data":[{"object":"bucket","start_time":1791158400,"end_time":1791244800,"results":[${openai}]}]}`,
    ],
    [
      'a table',
      `start_time,end_time,amount_value,amount_currency,line_item,project_id\n${Array.from({ length: 60_000 }, (_, index) => `1791158400,1791244800,${index},usd,"gpt-4o-mini, input",proj_${index}\n`).join('')}`,
    ],
    ['values that are not a bill', `[${filled('{}', 8 * MIB)}]`],
    ['a record that does not end', `{"data":[{"a":[${filled('0', 8 * MIB)}`],
    ['a row that does not end', `a,b\n"${'x'.repeat(8 * MIB)}`],
  ];
  it.each(BILLS)('%s', async (_name, text) => {
    const headers = { authorization: `Bearer ${fileKey}` };
    const status = await sendWithoutBlocking(FILES, { method: 'POST', headers, body: Buffer.from(text) });
    expect([200, 400]).toContain(status);
  });
});

describe('files of the smallest values block nobody for 50 ms', () => {
  const requestOf = (body: Buffer<ArrayBuffer>) => ({
    method: 'POST',
    headers: { authorization: `Bearer ${fileKey}`, 'content-type': 'application/octet-stream' },
    body,
  });
  const FILE_TEXTS: typeof SMALLEST = [
    ...SMALLEST,
    ['a table of empty fields', (bytes) => `a,b\n${',\n'.repeat(bytes / 2)}`],
    ['a table of empty quotes', (bytes) => `a;b\n${'"";""\n'.repeat(bytes / 6)}`],
    ['a table of one row', (bytes) => `a\tb\n${'\t'.repeat(bytes)}`],
  ];

  it.each(FILE_TEXTS)('%s', async (_name, make) => {
    for (const body of [pack(make(15 * MIB)), Buffer.from(make(2 * MIB))])
      expect(await sendWithoutBlocking(FILES, requestOf(body))).toBe(400);
  });

  it('a form of empty fields on the page', async () => {
    const owner = await signedIn(service.url, service.firstRun);
    const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n';
    const status = await sendWithoutBlocking('/books/bills/import', {
      method: 'POST',
      headers: {
        cookie: `session=${owner.cookies.get('session')}`,
        origin: service.url,
        'content-type': 'multipart/form-data; boundary=x',
      },
      body: `${part.repeat((15 * MIB) / part.length)}--x--\r\n`,
    });
    expect(status).toBe(400);
  });
});

describe('bytes that are not UTF-8', () => {
  it('are refused by each endpoint in its own format, and never replaced', async () => {
    for (const path of await paths()) {
      const body = Buffer.from('{"a":"order-\xe9","grant_type":"\xe9"}', 'latin1');
      const timestamp = String(Math.floor(Date.now() / 1000));
      const headers = { authorization: `Bearer ${keyOf(path)}`, 'x-timestamp': timestamp };
      const type = /oauth\/(?:token|device)/.test(path) ? 'application/x-www-form-urlencoded' : 'application/json';
      if (path === '/v1/oauth/revoke') continue;
      const answer = await fetch(`${service.url}${path}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': type, 'x-signature': sign(keyOf(path), timestamp, body) },
        body,
      });
      const text = await answer.text();
      expect([path, answer.status, text]).toEqual([path, 400, expect.stringContaining('UTF-8')]);
      expect(answer.headers.get('x-correlation-id') ?? '').not.toBe('');
    }
  });

  it('do not merge two events whose keys differ in one byte', async () => {
    const event = (byte: string) =>
      `{"idempotency_key":"order-${byte}","model":"m","input_tokens":1,"output_tokens":1,"event_invoked_at":"2026-06-15T00:00:00Z"}`;
    const body = Buffer.from(`[${event('\xe9')},${event('\xe8')}]`, 'latin1');
    const timestamp = String(Math.floor(Date.now() / 1000));
    const answer = await fetch(`${service.url}/v1/usage-events/batch`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${service.firstRun.live_ingest_key}`,
        'content-type': 'application/json',
        'x-timestamp': timestamp,
        'x-signature': sign(service.firstRun.live_ingest_key, timestamp, body),
      },
      body,
    });
    expect([answer.status, ((await answer.json()) as { error: { code: string } }).error.code]).toEqual([
      400,
      'VALIDATION_ERROR',
    ]);
  });
});

describe('a body by its headers', () => {
  const send = (path: string, headers: Record<string, string>, body: BodyInit = '{}') =>
    fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keyOf(path)}`, ...headers },
      body,
    });

  it('a body of another charset or coding gets 415 and is named', async () => {
    const json = { 'content-type': 'application/json' };
    for (const path of [
      '/v1/usage-events',
      '/ext/v1/price',
      '/ext/v1/litellm',
      '/otlp/v1/traces',
      '/graphql',
      '/mcp',
    ]) {
      const charset = await send(path, { 'content-type': 'application/json; charset=iso-8859-1' });
      expect([path, charset.status, await charset.text()]).toEqual([
        path,
        415,
        expect.stringMatching(/iso-8859-1|UNSUPPORTED|code/),
      ]);
    }
    const packed = await send('/v1/usage-events', { ...json, 'content-encoding': 'gzip' }, gzipSync('{}'));
    expect([packed.status, await packed.text()]).toEqual([415, expect.stringContaining('gzip')]);
    expect((await send('/ext/v1/price', { 'content-type': 'application/json; charset="UTF-8"' })).status).toBe(400);
  });

  it('a body with a byte order mark is read like one without', async () => {
    const json = { 'content-type': 'application/json' };
    const marked = await send('/graphql', json, '\ufeff{"query":"{__typename}"}');
    expect(await marked.json()).toEqual({ data: { __typename: 'Query' } });
    const litellm = await send('/ext/v1/litellm', json, '\ufeff{"id":"bom"}');
    expect(litellm.status).toBe(202);
  });

  it('a body that is too large gets a response while its sender continues sending', async () => {
    const keeping = new Agent({ keepAlive: true });
    const everywhere = ['/v1/usage-events', '/ext/v1/litellm', '/graphql', '/mcp'];
    for (const [path, agent] of everywhere.flatMap((one) => [[one, keeping] as const, [one, false] as const])) {
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const headers = {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'x-timestamp': '1',
          'x-signature': 'v1=',
        };
        const sent = httpRequest(`${service.url}${path}`, { method: 'POST', agent, headers }, (answer) => {
          answer.resume().once('end', () => {
            isAnswered = true;
            resolve(answer.statusCode);
          });
        });
        let isAnswered = false;
        sent.once('error', reject);
        const piece = Buffer.alloc(256 * 1024, ' ');
        const more = (): void => {
          if (isAnswered) return void sent.destroy();
          sent.write(piece, () => setImmediate(more));
        };
        more();
      });
      expect([path, status]).toEqual([path, 413]);
    }
  });
});

it('responses of /v1, /ext/v1 and /otlp are never cached', async () => {
  for (const [method, path] of [
    ['GET', '/v1/ping'],
    ['POST', '/ext/v1/price'],
    ['POST', '/ext/v1/litellm'],
    ['POST', '/ext/v1/outcomes'],
    ['POST', '/ext/v1/bills'],
    ['GET', '/ext/v1/exports/charge_day'],
    ['POST', '/otlp/v1/traces'],
    ['GET', '/v1/nothing'],
  ] as const) {
    const { headers } = await fetch(`${service.url}${path}`, { method, headers: { authorization: `Bearer ${key}` } });
    expect([path, headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual([
      path,
      'no-store',
      'nosniff',
    ]);
  }
});

describe('requests reserved for the service itself', () => {
  it.each([
    'ingestTelemetry(signal: TRACES, groups: []) { billed }',
    'ingestProviderResponses(items: [])',
    'ingestLitellm(items: [])',
    'ingestOutcomes(outcomes: [], newOutcomesMax: 1) { accepted }',
  ])('is not a field for clients: %s', async (field) => {
    const { body } = await graphql(service.url, key, `mutation { ${field} }`);
    expect(body.errors[0]).toMatchObject({
      message: expect.stringContaining('Cannot query field'),
      extensions: { code: 'VALIDATION_ERROR' },
    });
  });

  it('a subscription is refused with a clear error', async () => {
    const { status, body } = await graphql(service.url, key, 'subscription { x }');
    expect([status < 500, body.errors[0].extensions.code]).toEqual([true, 'VALIDATION_ERROR']);
  });
});

it('refusals before the document is read contain their correlation id', async () => {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'apollo-require-preflight': '1',
  };
  const answers = [
    await fetch(`${service.url}/graphql`, { method: 'POST', headers, body: '[{"query":"{__typename}"}]' }),
    await fetch(`${service.url}/graphql`, { method: 'POST', headers, body: '' }),
    await fetch(`${service.url}/graphql?query=%7B__typename%7D&variables=`, { headers }),
  ];
  for (const answer of answers) {
    const { errors } = (await answer.json()) as { errors: { extensions: { correlationId: string } }[] };
    expect(errors[0]!.extensions.correlationId).toBe(answer.headers.get('x-correlation-id'));
  }
  const unnamed = await fetch(`${service.url}/graphql?query=%7B__typename%7D&operationName=`, { headers });
  expect([unnamed.headers.get('cache-control'), unnamed.headers.get('vary'), await unnamed.json()]).toEqual([
    'private, no-cache',
    'Accept, Authorization, Cookie, X-Organization-ID',
    { data: { __typename: 'Query' } },
  ]);
});

it('a batch of MCP contains at most a hundred messages, and a client may accept only JSON', async () => {
  const send = (body: unknown, accept: string) =>
    fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept },
      body: JSON.stringify(body),
    });
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  for (const accept of ['application/json', '*/*']) expect((await send(list, accept)).status).toBe(200);
  const refused = await send(Array(101).fill(list), 'application/json');
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { jsonrpc: '2.0', error: { message: expect.stringContaining('100') } },
  ]);
});

it('metadata of the protected resource contains the loopback name of the request', async () => {
  const { port } = new URL(service.url);
  const metadata = (await (
    await fetch(`http://localhost:${port}/.well-known/oauth-protected-resource/mcp`)
  ).json()) as object;
  expect(metadata).toMatchObject({ resource: `http://localhost:${port}/mcp` });
});

it('only the record that is out of range is rejected', async () => {
  const good = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'gpt-4o',
    'gen_ai.usage.input_tokens': 1,
    'gen_ai.usage.output_tokens': 1,
  };
  const answer = await sendTo(
    service.url,
    '/otlp/v1/traces',
    key,
    traces({ attributes: good }, { attributes: good, atMs: 8.64e15 + 1 }),
  );
  expect(answer).toMatchObject({ status: 200, body: { partialSuccess: { rejectedSpans: '1' } } });
});

/** The credential that may send requests to the path. */
function keyOf(path: string): string {
  return /usage-events|litellm|provider-responses|outcomes|hold|otlp/.test(path) ? key : service.firstRun.live_read_key;
}
