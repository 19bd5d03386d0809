import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get, graphql, read } from '../../../support/api-client.ts';
import { checkAgainstOpenApi } from '../../../support/check-against-openapi.ts';
import { expectEnvelope } from '../../../support/envelope.ts';
import type { RunningService } from '../../../support/running-service.ts';
import { sharedService } from '../../../support/shared-service.ts';
import { signedIn, type Visitor } from '../../../support/visitor.ts';

let service: RunningService;
let person: Visitor;

beforeAll(async () => {
  service = await sharedService();
  person = await signedIn(service.url, service.firstRun);
});
afterAll(() => service.stop());

async function rotate(id: string, headers: Record<string, string>) {
  const path = `/api-keys/${id}/rotate`;
  const answer = await read(await fetch(`${service.url}/v1${path}`, { method: 'POST', headers }));
  await checkAgainstOpenApi(service.url, 'POST', path, answer.status, answer.body);
  return answer;
}

function session(): Record<string, string> {
  return { cookie: `session=${person.cookies.get('session')}`, 'x-requested-with': 'test' };
}

async function makeKey(): Promise<{ id: string; key: string }> {
  const { body } = await graphql(
    service.url,
    service.firstRun.operator_token,
    'mutation { apiKeyCreate(input: { name: "Worker", environment: "live", preset: "read" }) { createdApiKey { secret apiKey { id } } userErrors { message } } }',
    {},
    service.firstRun.organization_id,
  );
  return { id: body.data.apiKeyCreate.createdApiKey.apiKey.id, key: body.data.apiKeyCreate.createdApiKey.secret };
}

describe('200', () => {
  it('a new key replaces the old one in the same step', async () => {
    const { id, key } = await makeKey();
    const { status, body, headers } = await rotate(id, session());
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        apiKey: expect.stringMatching(/^sk_live_[A-Za-z0-9]{40}$/),
        keyInfo: {
          id: expect.not.stringContaining(id),
          name: 'Worker (Rotated)',
          scopes: ['costs:read', 'revenue:read', 'usage:read', 'dimensions:read'],
          environment: 'live',
          createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
          createdBy: expect.stringMatching(/^[0-9a-f-]{36}$/),
        },
        warning: expect.any(String),
      },
    });
    expect(headers.get('cache-control')).toBe('no-store');
    expect((await get(service.url, '/ping', key)).status).toBe(401);
    expect((await get(service.url, '/ping', body.apiKey)).status).toBe(200);
  });

  it('a request from a page of this service is recognized by its origin', async () => {
    const { id } = await makeKey();
    expect((await rotate(id, { cookie: session()['cookie']!, origin: service.url })).status).toBe(200);
  });

  it('of eight concurrent rotations, one succeeds', async () => {
    const { id } = await makeKey();
    const answers = await Promise.all(Array.from({ length: 8 }, () => rotate(id, session())));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400, 400, 400]);
  });
});

describe('400', () => {
  it('a revoked key cannot be rotated', async () => {
    const { id } = await makeKey();
    await rotate(id, session());
    expectEnvelope(await rotate(id, session()), 400, 'VALIDATION_ERROR', /revoked or expired/);
  });
});

describe('401', () => {
  it('an API key cannot rotate, not even itself', async () => {
    const { id, key } = await makeKey();
    expectEnvelope(
      await rotate(id, { authorization: `Bearer ${key}`, 'x-requested-with': 'test' }),
      401,
      'UNAUTHORIZED',
      /Sign in/,
    );
    expect((await get(service.url, '/ping', key)).status).toBe(200);
  });

  it.each(['', 'session=', `session=${'x'.repeat(43)}`, 'other=1'])('the cookie "%s" does not work', async (cookie) => {
    expectEnvelope(await rotate('x', { cookie, 'x-requested-with': 'test' }), 401, 'UNAUTHORIZED');
  });
});

describe('403', () => {
  it.each([
    ['says nothing of where it comes from', {}],
    ['comes from another origin', { origin: 'https://evil.example' }],
    ['comes from another origin in disguise', { origin: 'https://evil.example', 'x-requested-with': 'test' }],
    ['comes from an opaque origin', { origin: 'null' }],
    ['comes from an opaque origin on plain http away from this machine', { origin: 'null', host: 'books.lan:4501' }],
    [
      'comes from an opaque origin, whatever else it says',
      { origin: 'null', 'sec-fetch-site': 'same-origin', 'x-requested-with': 'test' },
    ],
    ['comes from another site', { 'sec-fetch-site': 'cross-site', 'x-requested-with': 'test' }],
  ])('a request that %s', async (_, headers) => {
    const { id, key } = await makeKey();
    expectEnvelope(await rotate(id, { cookie: session()['cookie']!, ...headers }), 403, 'FORBIDDEN');
    expect((await get(service.url, '/ping', key)).status).toBe(200);
  });
});

describe('404', () => {
  it.each(['00000000-0000-4000-8000-000000000000', 'nothing'])('there is no key %s', async (id) => {
    expectEnvelope(await rotate(id, session()), 404, 'NOT_FOUND');
  });
});

describe('413', () => {
  it('refuses a body that is larger than this endpoint needs, without reading it', async () => {
    const answer = await read(
      await fetch(`${service.url}/v1/api-keys/x/rotate`, {
        method: 'POST',
        headers: session(),
        body: 'x'.repeat(2000),
      }),
    );
    expectEnvelope(answer, 413, 'PAYLOAD_TOO_LARGE');
  });
});
