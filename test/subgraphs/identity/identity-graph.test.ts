/** The grants required for each field, and OAuth results in the graph. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anonymous, servicePrincipal } from '#platform/principal.ts';
import { type Identity, PASSWORD, startIdentity } from './identity-builder.ts';

let world: Identity;
beforeAll(async () => {
  world = await startIdentity();
});
afterAll(() => world.close());

const key = (grants: string[]) =>
  world.contextOf({ ...anonymous('test'), kind: 'api-key', organizationId: world.organizationId, grants });
const codeOf = async (document: string, context: Parameters<Identity['graphql']>[2]) =>
  (await world.graphql(document, {}, context)).errors?.[0]?.extensions?.['code'];

describe('fields', () => {
  test.each([
    '{ principal(kind: "bearer", token: "x") }',
    'mutation { signIn(email: "a@example.com", password: "x", address: "", userAgent: "") { attempt { token } } }',
    'mutation { completeSignIn(attempt: "x", code: "x", address: "", userAgent: "") { guessesLeft } }',
    'mutation { registerOauthClient(metadata: {}, address: "") { error } }',
    'mutation { exchangeOauthCode { error } }',
    'mutation { startDeviceLogin(address: "") { error } }',
    'mutation { pollDeviceLogin { error } }',
    'mutation { revokeToken(token: "x") }',
  ])('fields before a sign-in are only for our own edge: %s', async (document) => {
    expect(await codeOf(document, world.contextOf(anonymous('test')))).toBe('UNAUTHORIZED');
    for (const context of [key(['costs:read', 'usage:write']), await world.session(), world.operator])
      expect(await codeOf(document, context)).toBe('FORBIDDEN');
  });

  test.each([
    '{ sessions { id } }',
    '{ secondFactor { on } }',
    'mutation { currentSessionEnd { hasEnded userErrors { message code } } }',
    'mutation { otherSessionsEnd { endedSessions userErrors { message code } } }',
    'mutation { secondFactorStart(input: { password: "x" }) { offer { secret } userErrors { message code } } }',
    'mutation { apiKeyRotate(input: { id: "x" }) { rotatedApiKey { apiKey } userErrors { message } } }',
    'mutation { apiKeyReveal(input: { id: "x" }) { revealedApiKey { apiKey } userErrors { message code } } }',
    'mutation { deviceLoginClaim(input: { userCode: "x" }) { deviceLogin { id } userErrors { message code } } }',
    'mutation { deviceLoginApprove(input: { id: "x" }) { deviceLogin { id } userErrors { message code } } }',
    'mutation { authorizationStart(input: { parameters: [] }) { authorization { pageError } userErrors { message code } } }',
    'mutation { authorizationApprove(input: { id: "x" }) { decision { redirectTo } userErrors { message code } } }',
  ])('about people need a session: %s', async (document) => {
    for (const context of [
      key(['costs:read', 'dimensions:read', 'revenue:read', 'usage:read', 'usage:write']),
      world.ofOurs,
      world.service,
    ])
      expect(await codeOf(document, context)).toBe('FORBIDDEN');
  });

  test('fields of the audit log are for owners', async () => {
    expect(await codeOf('{ auditLog { nodes { action } } }', await world.session('member'))).toBe('FORBIDDEN');
    const { data } = await world.graphql(
      '{ auditLog(first: 2) { nodes { action actor detail } } }',
      {},
      await world.session(),
    );
    expect(data?.['auditLog']).toEqual({
      nodes: Array.from({ length: 2 }, () => ({ action: 'session.started', actor: 'SESSION', detail: '192.0.2.7' })),
    });
  });

  test('fields of a new API key contain its secret next to the stored fields', async () => {
    const owner = await world.session();
    const made = await world.graphql(
      'mutation { apiKeyCreate(input: { name: "k", environment: "test", preset: "read" }) { createdApiKey { secret apiKey { id createdBy clientName } } userErrors { message } } }',
      {},
      owner,
    );
    expect(made.data?.['apiKeyCreate']).toMatchObject({
      createdApiKey: {
        secret: expect.stringMatching(/^sk_test_/),
        apiKey: { createdBy: owner.principal.accountUserId, clientName: null },
      },
    });
  });
});

test('a person signs in, uses the session, and ends it', async () => {
  const { data } = await world.graphql(
    'mutation ($email: String!, $password: String!) { signIn(email: $email, password: $password, address: "192.0.2.1", userAgent: "b") { session { token expiresAt } attempt { token } } }',
    { email: world.emails.owner.toUpperCase(), password: PASSWORD },
    world.service,
  );
  const answer = data?.['signIn'] as { session: { token: string } };
  expect(answer).toEqual({
    session: { token: expect.stringMatching(/^[\w-]{43}$/), expiresAt: expect.stringMatching(/Z$/) },
    attempt: null,
  });
  const who = () =>
    world.graphql(
      'query ($token: String!) { principal(kind: "session", token: $token) }',
      { token: answer.session.token },
      world.contextOf(servicePrincipal('gateway', 'test')),
    );
  expect((await who()).data?.['principal']).toMatchObject({
    kind: 'session',
    grants: ['owner', 'costs:read', 'revenue:read', 'usage:read', 'dimensions:read'],
  });
  expect(
    (
      await world.graphql(
        'mutation { currentSessionEnd { hasEnded userErrors { message code } } }',
        {},
        await world.sessionOfToken(answer.session.token),
      )
    ).data,
  ).toEqual({ currentSessionEnd: { hasEnded: true, userErrors: [] } });
  expect((await who()).data).toEqual({ principal: null });
});

test('OAuth mutations return their own errors instead of failing', async () => {
  const { data, errors } = await world.graphql(
    'mutation { exchangeOauthCode(clientId: "x") { error errorDescription accessToken } pollDeviceLogin(clientId: "x", deviceCode: "y") { error } }',
    {},
    world.service,
  );
  expect(errors).toBeUndefined();
  expect(data).toEqual({
    exchangeOauthCode: { error: 'invalid_request', errorDescription: expect.any(String), accessToken: null },
    pollDeviceLogin: { error: 'invalid_client' },
  });
});
