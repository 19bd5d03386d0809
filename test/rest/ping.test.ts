import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get, graphql } from '../support/api-client.ts';
import { expectEnvelope } from '../support/envelope.ts';
import type { RunningService } from '../support/running-service.ts';
import { sharedService } from '../support/shared-service.ts';

const QUERY_SCOPES = ['costs:read', 'dimensions:read', 'revenue:read', 'usage:read'];

let service: RunningService;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service.stop());

/** Creates a key as the operator; `secret` in the result is the key. */
async function makeKey(input: string): Promise<{ secret: string; id: string }> {
  const { operator_token: operator, organization_id: organization } = service.firstRun;
  const { body } = await graphql(
    service.url,
    operator,
    `mutation { apiKeyCreate(input: ${input}) { createdApiKey { secret apiKey { id } } userErrors { message } } }`,
    {},
    organization,
  );
  return { secret: body.data.apiKeyCreate.createdApiKey.secret, id: body.data.apiKeyCreate.createdApiKey.apiKey.id };
}

describe('200', () => {
  it('describes the key and its permissions, and nothing else', async () => {
    const { secret } = await makeKey('{ name: "Dashboard export", environment: "live", preset: "read" }');
    const { status, body } = await get(service.url, '/ping', secret);
    expect(status).toBe(200);
    expect({ ...body, scopes: [...body.scopes].sort() }).toEqual({
      ok: true,
      organization_id: service.firstRun.organization_id,
      environment: 'live',
      key_name: 'Dashboard export',
      scopes: QUERY_SCOPES,
      expires_at: null,
    });
  });

  it('needs no scope, and shows a test key and its expiry', async () => {
    const { secret } = await makeKey(
      '{ name: "Loader", environment: "test", scopes: ["usage:write"], expiresAt: "2100-01-01T00:00:00Z" }',
    );
    expect((await get(service.url, '/ping', secret)).body).toMatchObject({
      environment: 'test',
      key_name: 'Loader',
      scopes: ['usage:write'],
      expires_at: '2100-01-01T00:00:00.000Z',
    });
  });
});

describe('401', () => {
  it('for a key that is missing, wrong or revoked', async () => {
    expectEnvelope(await get(service.url, '/ping', null), 401, 'UNAUTHORIZED');
    expectEnvelope(await get(service.url, '/ping', 'nothing'), 401, 'UNAUTHORIZED');
    const { secret, id } = await makeKey('{ name: "Gone", environment: "live", preset: "read" }');
    expect((await get(service.url, '/ping', secret)).status).toBe(200);
    await graphql(
      service.url,
      service.firstRun.operator_token,
      `mutation { apiKeyRevoke(input: { id: "${id}" }) { apiKey { id } userErrors { message } } }`,
    );
    expectEnvelope(await get(service.url, '/ping', secret), 401, 'UNAUTHORIZED');
  });
});
