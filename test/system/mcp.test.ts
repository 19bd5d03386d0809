import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { get, graphql, post, postExt, settle } from '../support/api-client.ts';
import { exampleEvent, EXT_TOOL_CALLS, ROUTE_CALLS } from '../support/route-calls.ts';
import { runningService, type RunningService } from '../support/running-service.ts';
import { MINUTES } from '../support/patience.ts';

// Starts processes one after another, which takes a minute or two on a busy machine.
vi.setConfig(MINUTES);

const RANGE = { start_date: '2026-01-01', end_date: '2026-02-01' };

let service: RunningService;
let readKey: string;

beforeAll(async () => {
  service = await runningService();
  const { firstRun, url } = service;
  readKey = firstRun.live_read_key;
  await graphql(
    url,
    firstRun.operator_token,
    'mutation { dimensionRegister(input: { key: "team" }) { dimension { key } userErrors { message } } }',
    {},
    firstRun.organization_id,
  );
  await post(url, '/usage-events', firstRun.live_ingest_key, exampleEvent());
  await settle(url, firstRun.operator_token);
});
afterAll(() => service.stop());

type AnyClient = Pick<ClientV1, 'callTool' | 'listTools' | 'close'>;

async function connect(version: 'v1' | 'v2', key: string): Promise<AnyClient> {
  const target = new URL(`${service.url}/mcp`);
  const options = { requestInit: { headers: { authorization: `Bearer ${key}` } } };
  const information = { name: 'test', version: '1' };
  if (version === 'v1') {
    const client = new ClientV1(information);
    await client.connect(new TransportV1(target, options) as never);
    return client;
  }
  const client = new ClientV2(information);
  await client.connect(new TransportV2(target, options));
  return client as unknown as AnyClient;
}

describe.each(['v1', 'v2'] as const)('the official client, %s', (version) => {
  it('lists a read-only tool for every documented read, and no other', async () => {
    const client = await connect(version, readKey);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(
      [...ROUTE_CALLS, ...EXT_TOOL_CALLS].map(({ tool }) => tool).sort(),
    );
    for (const tool of tools) expect(tool.annotations?.readOnlyHint).toBe(true);
    await client.close();
  });

  it.each(ROUTE_CALLS)('$tool gives the REST body unchanged', async ({ tool: name, args, path }) => {
    const client = await connect(version, readKey);
    const result = await client.callTool({ name, arguments: args });
    const rest = await get(service.url, path, readKey);
    expect(rest.status).toBe(200);
    expect(result.isError ?? false).toBe(false);
    expect(result.structuredContent).toEqual(rest.body);
    await client.close();
  });

  it.each(EXT_TOOL_CALLS)('$tool gives the body of /ext/v1$path unchanged', async ({ tool: name, path, body }) => {
    const client = await connect(version, readKey);
    const result = await client.callTool({ name, arguments: body });
    const rest = await postExt(service.url, path, readKey, body);
    expect([rest.status, result.isError ?? false]).toEqual([200, false]);
    expect(result.structuredContent).toEqual(rest.body);
    await client.close();
  });

  it('reports an error with code, message and correlation id', async () => {
    const client = await connect(version, readKey);
    const result = await client.callTool({
      name: 'get_end_user_cost_by_model',
      arguments: { externalId: 'nobody', ...RANGE },
    });
    expect(result.isError).toBe(true);
    expect(JSON.parse((result.content as { text: string }[])[0]?.text ?? '')).toMatchObject({
      code: 'NOT_FOUND',
      message: expect.any(String),
      correlationId: expect.any(String),
    });
    await client.close();
  });
});

describe('streams', () => {
  const META = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const send = (body: unknown, headers: Record<string, string> = {}, signal?: AbortSignal) =>
    fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${readKey}`,
        ...headers,
      },
      body: JSON.stringify(body),
      ...(signal ? { signal } : {}),
    });
  const modern = (method: string, params: object, signal?: AbortSignal) =>
    send(
      { jsonrpc: '2.0', id: 7, method, params: { ...params, _meta: META } },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method },
      signal,
    );
  /** Timers that keep streams alive: one per open stream. */
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

  it('declares that the list of tools never changes', async () => {
    const { result } = (await (await modern('server/discover', {})).json()) as {
      result: { capabilities: { tools: object } };
    };
    expect(result.capabilities.tools).toEqual({ listChanged: false });
  });

  it('acknowledges a subscription as empty and ends it; two hundred leave nothing behind', async () => {
    const listen = async () => {
      const answer = await modern(
        'subscriptions/listen',
        { notifications: { toolsListChanged: true } },
        AbortSignal.timeout(5_000),
      );
      return [answer.status, await answer.text()] as const;
    };
    const [status, stream] = await listen();
    expect(status).toBe(200);
    const messages = stream
      .split('\n')
      .flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6)) as Record<string, unknown>] : []));
    expect(messages).toMatchObject([
      { method: 'notifications/subscriptions/acknowledged', params: { notifications: {} } },
      { id: 7, result: {} },
    ]);
    const before = timers();
    for (let round = 0; round < 10; round += 1) await Promise.all(Array.from({ length: 20 }, listen));
    await expect.poll(timers).toBeLessThan(before + 20);
  });

  it('responds to a request that its own batch cancels', async () => {
    const answer = await send(
      [
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ping', arguments: {} } },
        { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
      ],
      {},
      AbortSignal.timeout(5_000),
    );
    expect(await answer.json()).toMatchObject({ id: 1, result: { structuredContent: { ok: true } } });
  });
});

describe('the limit of /mcp', () => {
  it('counts every message, including those that fail early and each message of a batch', async () => {
    const limited = await runningService({ READ_RATE_LIMIT: '10;w=900' });
    try {
      const send = (body: unknown, key = limited.firstRun.live_ingest_key) =>
        fetch(`${limited.url}/mcp`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            authorization: `Bearer ${key}`,
          },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        });
      const call = (name: string) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } });
      const remaining = async (body: unknown) => (await send(body)).headers.get('ratelimit-remaining');
      expect(await remaining('no JSON')).toBe('9');
      expect(await remaining({ jsonrpc: '2.0', id: 1, method: 'no/such' })).toBe('8');
      expect(await remaining(call('get_cost_by_model'))).toBe('7');
      expect(await remaining(call('no_such_tool'))).toBe('6');
      expect(await remaining([call('ping'), { ...call('ping'), id: 2 }, { ...call('ping'), id: 3 }])).toBe('3');
      const refused = await send(Array.from({ length: 4 }, (_, id) => ({ ...call('ping'), id })));
      expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
      expect(await refused.json()).toMatchObject({
        jsonrpc: '2.0',
        error: { data: { code: 'RATE_LIMIT_EXCEEDED', retry_after_seconds: expect.any(Number) } },
      });
      expect((await send(call('ping'))).status).toBe(429);
      expect((await send(call('ping'), limited.firstRun.live_read_key)).status).toBe(200);
    } finally {
      await limited.stop();
    }
  });

  it('reads no body without a key', async () => {
    const answer = await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: ' '.repeat(3 * 1024 * 1024),
    });
    expect(answer.status).toBe(401);
  });
});

describe('access to /mcp', () => {
  const call = (headers: Record<string, string>) =>
    fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'get_cost_by_model', arguments: RANGE },
      }),
    });

  it('returns 401 with a challenge that names the metadata', async () => {
    const answer = await call({});
    expect(answer.status).toBe(401);
    const metadataUrl = /resource_metadata="([^"]+)"/.exec(answer.headers.get('www-authenticate') ?? '')?.[1] ?? '';
    expect(new URL(metadataUrl).pathname).toBe('/.well-known/oauth-protected-resource/mcp');
    const metadata = (await (await fetch(`${service.url}${new URL(metadataUrl).pathname}`)).json()) as Record<
      string,
      unknown
    >;
    expect(metadata).toMatchObject({
      resource: expect.stringMatching(/\/mcp$/),
      authorization_servers: [expect.any(String)],
    });
  });

  it('tells a missing key from one that is not valid', async () => {
    const descriptionOf = async (headers: Record<string, string>) =>
      ((await (await call(headers)).json()) as { error_description: string }).error_description;
    expect(await descriptionOf({})).toBe('Send an API key as a bearer token');
    const wrong = `Bearer sk_live_${'0'.repeat(40)}`;
    expect(await descriptionOf({ authorization: wrong })).toBe('The API key is invalid, revoked or expired');
  });

  it("returns 403 with insufficient_scope to a key without the tool's scope", async () => {
    const answer = await call({ authorization: `Bearer ${service.firstRun.live_ingest_key}` });
    expect(answer.status).toBe(403);
    expect(answer.headers.get('www-authenticate')).toMatch(
      /insufficient_scope.*costs:read|costs:read.*insufficient_scope/,
    );
  });

  it('refuses a foreign origin', async () => {
    expect((await call({ origin: 'https://evil.example', authorization: `Bearer ${readKey}` })).status).toBe(403);
  });
});
