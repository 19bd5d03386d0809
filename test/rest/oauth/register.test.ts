import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CALLBACK, DEVICE_GRANT, register } from '../../support/oauth-requests.ts';
import { type OauthService, oauthService } from '../../support/oauth-service.ts';

let service: OauthService;
beforeAll(async () => {
  // The tests exhaust limits by address, so other files must not share the service.
  service = await oauthService({});
});
afterAll(() => service.stop());
beforeEach(() => service.identity('delete from throttle'));

describe('201', () => {
  it('registers a public client without a secret', async () => {
    const answer = await register(service.url, {
      client_name: 'Desk\u0007top\u202e',
      redirect_uris: [CALLBACK, 'https://app.example/cb?x=1'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: 'costs:read',
      logo_uri: 'http://169.254.169.254/',
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.body).toEqual({
      client_id: expect.any(String),
      client_id_issued_at: expect.any(Number),
      client_name: 'Desktop',
      redirect_uris: [CALLBACK, 'https://app.example/cb?x=1'],
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
    expect(answer.body.client_id_issued_at * 1000).toBeGreaterThan(Date.now() - 60_000);
  });

  it('registers a device, which has no redirect URI', async () => {
    const { status, body } = await register(service.url, { grant_types: [DEVICE_GRANT] });
    expect([status, body.redirect_uris, body.response_types]).toEqual([201, [], []]);
  });

  it.each([
    'https://app.example/',
    'http://localhost/cb',
    'http://localhost:1/cb',
    'http://127.0.0.1:50000/',
    'http://[::1]:3/x',
  ])('accepts %s', async (uri) => {
    expect((await register(service.url, { redirect_uris: [uri] })).body.redirect_uris).toEqual([uri]);
  });
});

describe('400', () => {
  it.each([
    'http://app.example/cb',
    'http://127.0.0.2/',
    'http://localhost.evil.example/',
    'https://app.example/#x',
    'https://me:pw@app.example/',
    'https://*.example/',
    'javascript:alert(1)',
    'app://callback',
    'https://app.example/\\..',
    ' https://app.example/',
    'https://app.example/\n',
    '/cb',
    '',
    7,
    `https://app.example/${'x'.repeat(2048)}`,
  ])('refuses the redirect URI %j', async (uri) => {
    const { status, body } = await register(service.url, { redirect_uris: [uri] });
    expect([status, body]).toEqual([400, { error: 'invalid_redirect_uri', error_description: expect.any(String) }]);
  });

  it.each([
    ['none', {}],
    ['more than ten', { redirect_uris: Array.from({ length: 11 }, (_, index) => `https://app.example/${index}`) }],
    ['a single one, not in a list', { redirect_uris: CALLBACK }],
  ])('refuses redirect URIs: %s', async (_, metadata) => {
    expect((await register(service.url, metadata)).body.error).toBe('invalid_redirect_uri');
  });

  it.each([
    ['no JSON', '{'],
    ['a list', '[]'],
    ['null', 'null'],
    ['a text', '"x"'],
    ['nothing', ''],
    ['grants that we do not have', JSON.stringify({ redirect_uris: [CALLBACK], grant_types: ['implicit'] })],
    ['a response type that we do not have', JSON.stringify({ redirect_uris: [CALLBACK], response_types: ['token'] })],
  ])('refuses metadata: %s', async (_, body) => {
    const {
      status,
      body: { error },
    } = await register(service.url, body);
    expect([status, error]).toEqual([400, 'invalid_client_metadata']);
  });

  it('treats a null member as omitted', async () => {
    const nulls = { client_name: null, grant_types: null, response_types: null };
    const { status, body } = await register(service.url, { redirect_uris: [CALLBACK], ...nulls });
    expect([status, body.grant_types, body.response_types]).toEqual([201, ['authorization_code'], ['code']]);
  });

  it('accepts no inherited properties', async () => {
    const { status } = await register(service.url, `{"__proto__": {"redirect_uris": ["${CALLBACK}"]}}`);
    expect(status).toBe(400);
  });
});

describe('413 and 415', () => {
  it('refuses a body that is too large or not JSON', async () => {
    expect((await register(service.url, { client_name: 'x'.repeat(70_000), redirect_uris: [CALLBACK] })).status).toBe(
      413,
    );
    expect((await register(service.url, 'a=b', { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(
      415,
    );
  });
});

describe('429', () => {
  it('serves sixty registrations from one address, and says when to retry beyond that', async () => {
    const answers = [];
    for (let count = 0; count < 130; count += 1)
      answers.push(await register(service.url, { redirect_uris: [CALLBACK] }));
    expect(answers.slice(0, 60).map(({ status }) => status)).toEqual(Array(60).fill(201));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 429]));
    const refused = answers.at(-1)!;
    expect(refused.body).toEqual({ error: 'temporarily_unavailable', error_description: expect.any(String) });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('a preflight', () => {
  it.each(['token', 'register', 'device_authorization', 'revoke'])(
    'allows posting to %s from any origin, without cookies',
    async (name) => {
      const answer = await fetch(`${service.url}/v1/oauth/${name}`, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://inspector.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type',
        },
      });
      expect([
        answer.status,
        answer.headers.get('access-control-allow-origin'),
        answer.headers.get('access-control-allow-methods'),
      ]).toEqual([204, '*', 'POST']);
      expect(answer.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('content-type');
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    },
  );
});
