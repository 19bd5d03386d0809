import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get, graphql, post, settle } from '../support/api-client.ts';
import { exampleEvent, ROUTE_CALLS } from '../support/route-calls.ts';
import { runningService, type RunningService } from '../support/running-service.ts';

const RANGE = { start_date: '2026-01-01', end_date: '2026-02-01' };

let service: RunningService;
let readKey: string;

beforeAll(async () => {
  service = await runningService();
  const { firstRun, url } = service;
  readKey = firstRun.live_read_key;
  await graphql(url, firstRun.operator_token, 'mutation { registerDimension(key: "team") { key } }', {}, firstRun.organization_id);
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
    expect(tools.map(({ name }) => name).sort()).toEqual(ROUTE_CALLS.map(({ tool }) => tool).sort());
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

  it('reports an error with code, message and correlation id', async () => {
    const client = await connect(version, readKey);
    const result = await client.callTool({ name: 'get_end_user_cost_by_model', arguments: { externalId: 'nobody', ...RANGE } });
    expect(result.isError).toBe(true);
    expect(JSON.parse((result.content as { text: string }[])[0]?.text ?? '')).toMatchObject({ code: 'NOT_FOUND', message: expect.any(String), correlationId: expect.any(String) });
    await client.close();
  });
});

describe('the door of /mcp', () => {
  const call = (headers: Record<string, string>) => fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_cost_by_model', arguments: RANGE } }),
  });

  it('answers 401 with a challenge that names the metadata', async () => {
    const answer = await call({});
    expect(answer.status).toBe(401);
    const metadataUrl = /resource_metadata="([^"]+)"/.exec(answer.headers.get('www-authenticate') ?? '')?.[1] ?? '';
    expect(new URL(metadataUrl).pathname).toBe('/.well-known/oauth-protected-resource/mcp');
    const metadata = await (await fetch(`${service.url}${new URL(metadataUrl).pathname}`)).json() as Record<string, unknown>;
    expect(metadata).toMatchObject({ resource: expect.stringMatching(/\/mcp$/), authorization_servers: [expect.any(String)] });
  });

  it('answers 403 with insufficient_scope to a key without the tool\'s scope', async () => {
    const answer = await call({ authorization: `Bearer ${service.firstRun.live_ingest_key}` });
    expect(answer.status).toBe(403);
    expect(answer.headers.get('www-authenticate')).toMatch(/insufficient_scope.*costs:read|costs:read.*insufficient_scope/);
  });

  it('refuses a foreign origin', async () => {
    expect((await call({ origin: 'https://evil.example', authorization: `Bearer ${readKey}` })).status).toBe(403);
  });
});
