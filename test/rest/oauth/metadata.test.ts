import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningService, runningService } from '../../support/running-service.ts';

let service: RunningService;
beforeAll(async () => {
  service = await runningService(
    {
      API_ORIGIN: 'https://api.books.example',
      APP_URL: 'https://app.books.example',
      MCP_URL: 'https://mcp.books.example',
    },
    { jobs: false },
  );
});
afterAll(() => service.stop());

describe('/.well-known/oauth-authorization-server', () => {
  it('has the nine fields of the contract, the one that RFC 8414 requires, and no others', async () => {
    const answer = await fetch(`${service.url}/.well-known/oauth-authorization-server`);
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await answer.json()).toEqual({
      issuer: 'https://api.books.example',
      authorization_endpoint: 'https://app.books.example/oauth/authorize',
      token_endpoint: 'https://api.books.example/v1/oauth/token',
      device_authorization_endpoint: 'https://api.books.example/v1/oauth/device_authorization',
      registration_endpoint: 'https://api.books.example/v1/oauth/register',
      revocation_endpoint: 'https://api.books.example/v1/oauth/revoke',
      code_challenge_methods_supported: ['S256'],
      grant_types_supported: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'],
      token_endpoint_auth_methods_supported: ['none'],
      response_types_supported: ['code'],
    });
  });
});

describe('/.well-known/oauth-protected-resource', () => {
  it.each(['', '/mcp'])('names the resource and its authorization server, at %j too', async (suffix) => {
    const answer = await fetch(`${service.url}/.well-known/oauth-protected-resource${suffix}`);
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    expect(await answer.json()).toEqual({
      resource: 'https://mcp.books.example/mcp',
      authorization_servers: ['https://api.books.example'],
      scopes_supported: ['costs:read', 'revenue:read', 'usage:read', 'dimensions:read'],
      bearer_methods_supported: ['header'],
    });
  });
});

it.each(['oauth-authorization-server', 'oauth-protected-resource', 'oauth-protected-resource/mcp'])(
  'a browser may read %s with the header of MCP clients',
  async (name) => {
    const answer = await fetch(`${service.url}/.well-known/${name}`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://inspector.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'mcp-protocol-version',
      },
    });
    expect([
      answer.status,
      answer.headers.get('access-control-allow-origin'),
      answer.headers.get('access-control-allow-methods'),
    ]).toEqual([204, '*', 'GET']);
    expect(answer.headers.get('access-control-allow-headers')).toContain('MCP-Protocol-Version');
  },
);
