/**
 * The official MCP clients, given only the address: they find the authorization server, register, log in and call
 * tools.
 */
import {
  Client as ClientV2,
  type OAuthClientProvider,
  StreamableHTTPClientTransport as TransportV2,
  UnauthorizedError as UnauthorizedV2,
} from '@modelcontextprotocol/client';
import { UnauthorizedError as UnauthorizedV1 } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post, settle } from '../../support/api-client.ts';
import { CALLBACK } from '../../support/oauth-requests.ts';
import { type OauthService, oauthService } from '../../support/oauth-service.ts';
import { type Person, signIn } from '../../support/person.ts';
import { exampleEvent, EXT_TOOL_CALLS, ROUTE_CALLS } from '../../support/route-calls.ts';

let service: OauthService;
let person: Person;
beforeAll(async () => {
  service = await oauthService();
  person = await signIn(service);
  await person.ask(
    'mutation { dimensionRegister(input: { key: "team" }) { dimension { key } userErrors { message } } }',
  );
  await post(service.url, '/usage-events', service.firstRun.live_ingest_key, exampleEvent());
  await settle(service.url, service.firstRun.operator_token);
});
afterAll(() => service.stop());

interface Memory {
  readonly provider: OAuthClientProvider;
  /** The last address to which the program sent its user. */
  sentTo(): URL;
  token(): string;
}

/** Keeps everything in memory, as the clients' own examples do. */
function memory(scope?: string): Memory {
  const kept: Record<string, unknown> = {};
  let sentTo: URL | undefined;
  const provider = {
    redirectUrl: CALLBACK,
    clientMetadata: {
      client_name: 'MCP client',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...(scope ? { scope } : {}),
    },
    state: () => 'state-of-the-client',
    clientInformation: () => kept['client'],
    saveClientInformation: (value: unknown) => {
      kept['client'] = value;
    },
    tokens: () => kept['tokens'],
    saveTokens: (value: unknown) => {
      kept['tokens'] = value;
    },
    redirectToAuthorization: (url: URL) => {
      sentTo = url;
    },
    saveCodeVerifier: (value: unknown) => {
      kept['verifier'] = value;
    },
    codeVerifier: () => kept['verifier'],
    saveDiscoveryState: (value: unknown) => {
      kept['discovery'] = value;
    },
    discoveryState: () => kept['discovery'],
    invalidateCredentials: (what: string) => {
      if (what === 'all' || what === 'tokens') delete kept['tokens'];
      if (what === 'all' || what === 'client') delete kept['client'];
    },
  };
  return {
    provider: provider as unknown as OAuthClientProvider,
    sentTo: () => sentTo!,
    token: () => (kept['tokens'] as { access_token: string }).access_token,
  };
}

type AnyClient = Pick<ClientV1, 'connect' | 'callTool' | 'listTools' | 'close'>;
type AnyTransport = TransportV1;

const VERSIONS = {
  'sdk 1.32': {
    client: () => new ClientV1({ name: 'test', version: '1' }) as AnyClient,
    transport: (url: URL, authProvider: OAuthClientProvider) =>
      new TransportV1(url, { authProvider: authProvider as never }),
    unauthorized: UnauthorizedV1,
  },
  'client 2.4': {
    client: () => new ClientV2({ name: 'test', version: '1' }) as unknown as AnyClient,
    transport: (url: URL, authProvider: OAuthClientProvider) =>
      new TransportV2(url, { authProvider }) as unknown as AnyTransport,
    unauthorized: UnauthorizedV2,
  },
};

describe.each(Object.entries(VERSIONS))('the official client, %s', (_, version) => {
  const target = () => new URL(`${service.url}/mcp`);

  async function connected(kept: Memory): Promise<AnyClient> {
    const first = version.transport(target(), kept.provider);
    await expect(version.client().connect(first)).rejects.toBeInstanceOf(version.unauthorized);
    const back = await person.authorize(kept.sentTo());
    expect(back.searchParams.get('state')).toBe('state-of-the-client');
    await first.finishAuth(back.searchParams.get('code') ?? '');
    const client = version.client();
    await client.connect(version.transport(target(), kept.provider));
    return client;
  }

  it('connects with only the address and calls every tool', async () => {
    const kept = memory();
    const client = await connected(kept);
    expect(kept.sentTo().searchParams.get('resource')).toBe(`${service.url}/mcp`);
    const calls = [...ROUTE_CALLS, ...EXT_TOOL_CALLS.map(({ tool, body }) => ({ tool, args: body }))];
    expect((await client.listTools()).tools).toHaveLength(calls.length);
    for (const { tool: name, args } of calls) {
      const result = await client.callTool({ name, arguments: args });
      expect([name, result.isError ?? false]).toEqual([name, false]);
      expect(result.structuredContent).toEqual(expect.any(Object));
    }
    await client.close();
  });

  it('signs in again when its key is revoked', async () => {
    const kept = memory();
    const client = await connected(kept);
    await fetch(`${service.url}/v1/oauth/revoke`, {
      method: 'POST',
      headers: { authorization: `Bearer ${kept.token()}` },
    });
    const before = kept.sentTo();
    await expect(client.callTool({ name: 'ping', arguments: {} })).rejects.toBeInstanceOf(version.unauthorized);
    expect(kept.sentTo()).not.toBe(before);
    await client.close();
  });
});
