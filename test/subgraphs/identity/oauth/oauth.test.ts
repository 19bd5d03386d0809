import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claimDeviceLogin } from '../../../../subgraphs/identity/oauth/devices/claim-device-login.operation.ts';
import { decideAuthorization } from '../../../../subgraphs/identity/oauth/decide-authorization.operation.ts';
import { decideDeviceLogin } from '../../../../subgraphs/identity/oauth/devices/decide-device-login.operation.ts';
import { exchangeOauthCode } from '../../../../subgraphs/identity/oauth/exchange-oauth-code.operation.ts';
import { identifyCaller } from '../../../../subgraphs/identity/callers/identify-caller.operation.ts';
import { listApiKeys } from '../../../../subgraphs/identity/keys/list-api-keys.operation.ts';
import { pollDeviceLogin } from '../../../../subgraphs/identity/oauth/devices/poll-device-login.operation.ts';
import { registerOauthClient } from '../../../../subgraphs/identity/oauth/register-oauth-client.operation.ts';
import { startAuthorization } from '../../../../subgraphs/identity/oauth/start-authorization.operation.ts';
import { startDeviceLogin } from '../../../../subgraphs/identity/oauth/devices/start-device-login.operation.ts';
import { createAccountUser } from '../../../../subgraphs/identity/accounts/members/create-account-user.operation.ts';
import { disableAccountUser } from '../../../../subgraphs/identity/accounts/members/disable-account-user.operation.ts';
import { enableAccountUser } from '../../../../subgraphs/identity/accounts/members/enable-account-user.operation.ts';
import { createApiKey } from '../../../../subgraphs/identity/keys/create-api-key.operation.ts';
import { signIn } from '../../../../subgraphs/identity/sessions/sign-in/sign-in.operation.ts';
import { purgeExpired } from '../../../../subgraphs/identity/expiry/purge-expired.job.ts';
import { query } from '#platform/database/sql.ts';
import { PATIENCE } from '../../../support/patience.ts';
import { atOnce, BROWSER, type Identity, PASSWORD, SEALING, startIdentity } from '../identity-builder.ts';

let world: Identity;
beforeAll(async () => {
  world = await startIdentity();
});
afterAll(() => world.close());

const REDIRECT = 'http://127.0.0.1:7777/callback?kept=1';
const RESOURCES = ['https://mcp.example.com/mcp', 'https://mcp.example.com'];
const QUERY_SCOPES = ['costs:read', 'revenue:read', 'usage:read', 'dimensions:read'];
const DAY = 86_400_000;

async function register(metadata: object = {}): Promise<string> {
  const answer = await registerOauthClient(
    world.service,
    { client_name: 'A client', redirect_uris: [REDIRECT], ...metadata },
    BROWSER.address,
  );
  if ('error' in answer) throw new Error(answer.errorDescription);
  return answer.clientId;
}

function pkce() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

const requested = (clientId: string, challenge: string, more: Record<string, string> = {}) =>
  Object.entries({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'a state',
    ...more,
  }).map(([name, value]) => ({ name, value }));

/** A code approved by a person, and the parameters that redeem it. */
async function approved(more: Record<string, string> = {}) {
  const [clientId, { verifier, challenge }, owner] = [await register(), pkce(), await world.session()];
  const { request } = await startAuthorization(owner, requested(clientId, challenge, more), RESOURCES);
  const { redirectTo } = await decideAuthorization(owner, request?.id ?? '', 'approved');
  const parameters = new URL(redirectTo).searchParams;
  return { clientId, verifier, owner, redirectTo, parameters, code: parameters.get('code') ?? '', request };
}

const redeem = (exchange: Parameters<typeof exchangeOauthCode>[1]) =>
  exchangeOauthCode(world.service, exchange, RESOURCES, SEALING);
/**
 * Starts `attempt` while a removal holds the account, waits until it is blocked, and then lets the removal continue
 * with what the account was about to obtain. Fails if the two deadlock.
 */
async function duringRemoval<T>(accountUserId: string, attempt: () => Promise<T>): Promise<T> {
  let attempted: Promise<T> | undefined;
  await world.service.database.system(async (tx) => {
    await query(tx, 'select 1 from account_user where id = $1 for update', [accountUserId]);
    const [removal] = await query<{ pid: number }>(tx, 'select pg_backend_pid() as pid');
    attempted = attempt();
    await expect.poll(() => world.rows(WAITS_FOR, [removal!.pid]), PATIENCE).not.toEqual([]);
    await query(tx, "update device_login set decision = 'denied' where account_user_id = $1 and consumed_at is null", [
      accountUserId,
    ]);
    await query(tx, 'delete from authorization_code where account_user_id = $1 and consumed_at is null', [
      accountUserId,
    ]);
  });
  return attempted!;
}
const WAITS_FOR = 'select 1 from pg_locks where not granted and $1::int = any(pg_blocking_pids(pid))';

const opens = async (token: string): Promise<boolean> =>
  (await identifyCaller(world.service, 'bearer', token, null)) !== null;

describe('registration', () => {
  test('returns a public client, whatever else it requested', async () => {
    const answer = await registerOauthClient(
      world.service,
      {
        client_name: 'Na\u0007me\u202e',
        redirect_uris: [REDIRECT],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'client_secret_post',
        logo_uri: 'https://x.example/logo',
      },
      BROWSER.address,
    );
    expect(answer).toEqual({
      clientId: expect.any(String),
      clientIdIssuedAt: expect.any(Number),
      clientName: 'Name',
      redirectUris: [REDIRECT],
      grantTypes: ['authorization_code'],
      responseTypes: ['code'],
      tokenEndpointAuthMethod: 'none',
    });
  });

  test.each([
    'http://example.com/callback',
    'http://127.0.0.1.example.com/',
    'https://user@example.com/',
    'https://user:word@example.com/',
    'https://example.com/#part',
    'https://*.example.com/',
    'https://example.com/ x',
    'https://example.com\\@evil.example/',
    'custom://callback',
    'javascript:alert(1)',
    'https:/example.com',
    '//example.com',
    'https://example.com/\n',
    'https://exämple.com/',
    `https://example.com/${'x'.repeat(2_048)}`,
    7,
  ])('refuses the redirect URI %j', async (uri) => {
    expect(await registerOauthClient(world.service, { redirect_uris: [uri] }, BROWSER.address)).toMatchObject({
      error: 'invalid_redirect_uri',
    });
  });

  test.each([
    'https://example.com/callback?a=1',
    'http://localhost:1/',
    'http://127.0.0.1/',
    'http://[::1]:8080/x',
    'HTTPS://EXAMPLE.com/',
  ])('accepts %s unchanged', async (uri) => {
    expect(await registerOauthClient(world.service, { redirect_uris: [uri] }, BROWSER.address)).toMatchObject({
      redirectUris: [uri],
    });
  });

  test.each([
    [null],
    [[]],
    [{ redirect_uris: [] }],
    [{ redirect_uris: 'https://example.com/' }],
    [{ redirect_uris: Array.from({ length: 11 }, () => 'https://example.com/') }],
    [{ redirect_uris: [REDIRECT], grant_types: ['password'] }],
    [{ redirect_uris: [REDIRECT], response_types: ['token'] }],
  ])('refuses %j', async (metadata) => {
    expect(await registerOauthClient(world.service, metadata, BROWSER.address)).toMatchObject({
      error: expect.stringMatching(/^invalid_(redirect_uri|client_metadata)$/),
    });
  });

  test('is limited per address', async () => {
    const { values, errors } = await atOnce(125, () =>
      registerOauthClient(world.service, { redirect_uris: [REDIRECT] }, '2001:db8:1:2::1'),
    );
    expect(values).toHaveLength(120);
    expect(errors[0]).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    await expect(
      registerOauthClient(world.service, { redirect_uris: [REDIRECT] }, '2001:db8:1:2:ffff::9'),
    ).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    expect(await registerOauthClient(world.service, { redirect_uris: [REDIRECT] }, '2001:db8:1:3::1')).toHaveProperty(
      'clientId',
    );
  });
});

describe('an authorization request', () => {
  test('shows client, host and scopes, and grants nothing yet', async () => {
    const owner = await world.session();
    const answer = await startAuthorization(
      owner,
      requested(await register(), pkce().challenge, { resource: RESOURCES[0] ?? '' }),
      RESOURCES,
    );
    expect(answer).toEqual({
      pageError: null,
      redirectTo: null,
      returnTo: null,
      request: {
        id: expect.any(String),
        clientName: 'A client',
        redirectHost: '127.0.0.1:7777',
        scopes: QUERY_SCOPES,
        lifetimeDays: 30,
        expiresAt: expect.any(Date),
      },
    });
    expect(await world.rows('select 1 from authorization_code')).toEqual([]);
  });

  test('an authorization request with a wrong client or redirect URI gets a page, never a redirect', async () => {
    const owner = await world.session();
    const clientId = await register();
    const { challenge } = pkce();
    const wrongs = [
      requested(randomUUID(), challenge),
      requested('nonsense', challenge),
      requested(clientId, challenge, { redirect_uri: 'https://evil.example/' }),
      requested(clientId, challenge, { redirect_uri: `${REDIRECT}&more=1` }),
      requested(clientId, challenge).filter(({ name }) => name !== 'redirect_uri'),
      requested(clientId, challenge).filter(({ name }) => name !== 'client_id'),
      [...requested(clientId, challenge), { name: 'redirect_uri', value: REDIRECT }],
      [...requested(clientId, challenge), { name: 'client_id', value: clientId }],
    ];
    for (const parameters of wrongs)
      expect(await startAuthorization(owner, parameters, RESOURCES)).toEqual({
        pageError: expect.any(String),
        redirectTo: null,
        returnTo: null,
        request: null,
      });
  });

  test.each([
    ['invalid_request', { code_challenge_method: 'plain' }],
    ['invalid_request', { code_challenge_method: 's256' }],
    ['invalid_request', { code_challenge: 'short' }],
    ['unsupported_response_type', { response_type: 'token' }],
    ['invalid_scope', { scope: 'costs:read usage:write' }],
    ['invalid_scope', { scope: 'everything' }],
    ['invalid_target', { resource: 'https://elsewhere.example/' }],
  ])('is sent back with %s for %j', async (error, more) => {
    const { redirectTo } = await startAuthorization(
      await world.session(),
      requested(await register(), pkce().challenge, more),
      RESOURCES,
    );
    expect(redirectTo?.startsWith(`${REDIRECT}&`)).toBe(true);
    const sent = new URL(redirectTo ?? '').searchParams;
    expect([sent.get('error'), sent.get('state'), sent.get('kept')]).toEqual([error, 'a state', '1']);
  });

  test('an authorization request without PKCE, or with a parameter twice, is sent back', async () => {
    const owner = await world.session();
    const whole = requested(await register(), pkce().challenge);
    for (const parameters of [
      whole.filter(({ name }) => name !== 'code_challenge'),
      whole.filter(({ name }) => name !== 'code_challenge_method'),
      [...whole, { name: 'scope', value: '' }, { name: 'scope', value: '' }],
    ]) {
      expect(
        new URL((await startAuthorization(owner, parameters, RESOURCES)).redirectTo ?? '').searchParams.get('error'),
      ).toBe('invalid_request');
    }
  });

  test.each(['\0', 'a\0b', '\ud800'])(
    'an authorization request with a state that cannot be stored exactly is refused: %j',
    async (state) => {
      const answer = await startAuthorization(
        await world.session(),
        requested(await register(), pkce().challenge, { state }),
        RESOURCES,
      );
      expect(new URL(answer.redirectTo ?? '').searchParams.get('error')).toBe('invalid_request');
    },
  );

  test('is decided once, by the session that was asked', async () => {
    const [owner, other] = [await world.session(), await world.session()];
    const { request } = await startAuthorization(owner, requested(await register(), pkce().challenge), RESOURCES);
    await expect(decideAuthorization(other, request?.id ?? '', 'approved')).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    const { values, errors } = await atOnce(8, () => decideAuthorization(owner, request?.id ?? '', 'approved'));
    expect([values.length, errors.length]).toEqual([1, 7]);
  });

  test('an authorization request that is denied is reported as denied', async () => {
    const owner = await world.session();
    const { request } = await startAuthorization(owner, requested(await register(), pkce().challenge), RESOURCES);
    expect(
      new URL((await decideAuthorization(owner, request?.id ?? '', 'denied')).redirectTo).searchParams.get('error'),
    ).toBe('access_denied');
  });
});

describe('a code', () => {
  test('is redeemed for a live key of 30 days with the approved scopes, named after the client', async () => {
    const { clientId, code, verifier, owner, parameters } = await approved({ scope: 'usage:read costs:read' });
    expect([parameters.get('state'), parameters.get('kept')]).toEqual(['a state', '1']);
    const answer = await redeem({ clientId, code, codeVerifier: verifier, redirectUri: REDIRECT });
    expect(answer).toEqual({
      accessToken: expect.stringMatching(/^sk_live_/),
      tokenType: 'Bearer',
      expiresIn: 30 * 86_400,
      scope: 'costs:read usage:read',
    });
    const key = (await listApiKeys(owner))[0];
    expect(key).toMatchObject({
      name: 'A client',
      clientName: 'A client',
      scopes: ['costs:read', 'usage:read'],
      environment: 'LIVE',
      accountUserId: owner.principal.accountUserId,
    });
    expect(key?.expiresAt?.getTime()).toBe((key?.createdAt.getTime() ?? 0) + 30 * DAY);
  });

  test('redeemed twenty times at once succeeds once, and the others revoke its key', async () => {
    const { clientId, code, verifier } = await approved();
    const { values } = await atOnce(20, () =>
      redeem({ clientId, code, codeVerifier: verifier, redirectUri: REDIRECT }),
    );
    const keys = values.flatMap((answer) => ('accessToken' in answer ? [answer.accessToken] : []));
    expect(keys).toHaveLength(1);
    expect(values.filter((answer) => 'error' in answer && answer.error === 'invalid_grant')).toHaveLength(19);
    expect(await opens(keys[0] ?? '')).toBe(false);
  });

  test('revokes the key that was issued for it if it is used again', async () => {
    const { clientId, code, verifier } = await approved();
    const exchange = { clientId, code, codeVerifier: verifier, redirectUri: REDIRECT };
    const answer = await redeem(exchange);
    const key = 'accessToken' in answer ? answer.accessToken : '';
    expect(await opens(key)).toBe(true);
    expect(await redeem(exchange)).toMatchObject({ error: 'invalid_grant' });
    expect(await opens(key)).toBe(false);
  });

  test('does not work for another client, with another verifier or redirect URI, or after a minute', async () => {
    const stranger = await register();
    const wrongs = [
      { clientId: stranger },
      { codeVerifier: pkce().verifier },
      { codeVerifier: '' },
      { redirectUri: 'http://127.0.0.1:7777/callback' },
    ];
    for (const wrong of wrongs) {
      const { clientId, code, verifier } = await approved();
      expect(await redeem({ clientId, code, codeVerifier: verifier, redirectUri: REDIRECT, ...wrong })).toMatchObject({
        error: 'invalid_grant',
      });
      expect(await redeem({ clientId, code, codeVerifier: verifier, redirectUri: REDIRECT })).toMatchObject({
        error: 'invalid_grant',
      });
    }
    const { clientId, code, verifier } = await approved();
    await world.rows(
      'update authorization_code set expires_at = now() - make_interval(secs => 1) where consumed_at is null',
    );
    expect(await redeem({ clientId, code, codeVerifier: verifier })).toMatchObject({ error: 'invalid_grant' });
  });

  test('needs a client, a code and a verifier, and a resource that is ours', async () => {
    const { clientId, code, verifier } = await approved();
    const whole = { clientId, code, codeVerifier: verifier };
    for (const missing of ['clientId', 'code', 'codeVerifier'])
      expect(await redeem({ ...whole, [missing]: null })).toMatchObject({ error: 'invalid_request' });
    expect(await redeem({ ...whole, resource: 'https://elsewhere.example' })).toMatchObject({
      error: 'invalid_target',
    });
    expect(await redeem({ ...whole, clientId: randomUUID() })).toMatchObject({ error: 'invalid_client' });
    expect(await redeem({ ...whole, resource: `${RESOURCES[1] ?? ''}/` })).toHaveProperty('accessToken');
  });
});

test('a code exchanged during a removal is refused, and the two do not deadlock', async () => {
  const { clientId, code, verifier, owner } = await approved();
  const answer = await duringRemoval(owner.principal.accountUserId!, () =>
    redeem({ clientId, code, codeVerifier: verifier, redirectUri: REDIRECT }),
  );
  expect(answer).toMatchObject({ error: 'invalid_grant' });
});

describe('a device login', () => {
  const begin = async (wish: { clientId?: string; machineName?: string } = {}) => {
    const answer = await startDeviceLogin(
      world.service,
      { clientId: 'cli', machineName: 'my-laptop', address: BROWSER.address, ...wish },
      'https://app.example.com',
      SEALING,
    );
    if ('error' in answer) throw new Error(answer.error);
    return answer;
  };
  const poll = (deviceCode: string, clientId = 'cli') =>
    pollDeviceLogin(world.service, { clientId, deviceCode }, SEALING);
  /** As if the device had waited long enough. */
  const wait = () => world.rows('update device_login set next_poll_at = now() - make_interval(secs => 1)');

  test('a device login that is polled during a removal is denied, and the two do not deadlock', async () => {
    const owner = await world.session();
    const { deviceCode, userCode } = await begin({ machineName: 'leaving' });
    const { id } = await claimDeviceLogin(owner, userCode, SEALING);
    await decideDeviceLogin(owner, id, 'approved');
    await wait();
    const answer = await duringRemoval(owner.principal.accountUserId!, () => poll(deviceCode));
    expect(answer).toMatchObject({ error: 'access_denied' });
  });

  test('shows a code without vowels and without similar-looking letters', async () => {
    const answer = await begin();
    expect(answer).toMatchObject({
      expiresIn: 900,
      interval: 5,
      verificationUri: 'https://app.example.com/activate',
      verificationUriComplete: `https://app.example.com/activate?user_code=${answer.userCode}`,
    });
    expect(answer.userCode).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  });

  test('issues one live key of 90 days with the query scopes, named after the machine, once it is approved', async () => {
    const owner = await world.session();
    const { deviceCode, userCode } = await begin();
    expect(await poll(deviceCode)).toMatchObject({ error: 'authorization_pending' });
    const login = await claimDeviceLogin(owner, userCode.toLowerCase().replace('-', ''), SEALING);
    expect(login).toMatchObject({
      machineName: 'my-laptop',
      clientName: 'CLI',
      scopes: QUERY_SCOPES,
      lifetimeDays: 90,
      decision: null,
    });
    await wait();
    expect(await poll(deviceCode)).toMatchObject({ error: 'authorization_pending' });
    await decideDeviceLogin(owner, login.id, 'approved');
    await wait();
    const { values } = await atOnce(8, () => poll(deviceCode));
    expect(values.filter((answer) => 'accessToken' in answer)).toEqual([
      {
        accessToken: expect.stringMatching(/^sk_live_/),
        tokenType: 'Bearer',
        expiresIn: 90 * 86_400,
        scope: QUERY_SCOPES.join(' '),
      },
    ]);
    expect(await poll(deviceCode)).toMatchObject({ error: 'invalid_grant' });
    const key = (await listApiKeys(owner))[0];
    expect(key).toMatchObject({ name: 'my-laptop', clientName: 'CLI', environment: 'LIVE', scopes: QUERY_SCOPES });
    expect(key?.expiresAt?.getTime()).toBe((key?.createdAt.getTime() ?? 0) + 90 * DAY);
  });

  test('polled too early gets slow_down, and five more seconds each time', async () => {
    const { deviceCode } = await begin({ machineName: 'impatient' });
    const interval = async () =>
      (
        await world.rows<{ s: number; w: number }>(
          "select interval_seconds as s, round(extract(epoch from next_poll_at - now()))::int as w from device_login where machine_name = 'impatient'",
        )
      )[0];
    expect(await poll(deviceCode)).toMatchObject({ error: 'authorization_pending' });
    for (const seconds of [10, 15, 20]) {
      expect(await poll(deviceCode)).toMatchObject({ error: 'slow_down' });
      expect((await interval())?.s).toBe(seconds);
      expect(Math.abs(((await interval())?.w ?? 0) - seconds)).toBeLessThanOrEqual(1);
    }
    await wait();
    expect(await poll(deviceCode)).toMatchObject({ error: 'authorization_pending' });
    expect((await interval())?.s).toBe(20);
  });

  test('is approved, like an application, within ten minutes of a sign-in; afterwards it continues after a new sign-in', async () => {
    const stale = async () => {
      const session = await world.session();
      await age(session);
      return session;
    };
    const age = (session: { principal: { credentialId: string | null } }) =>
      world.rows("update session set signed_in_at = now() - interval '11 minutes' where id = $1", [
        session.principal.credentialId,
      ]);
    const SIGN_IN_AGAIN = { code: 'FORBIDDEN', details: { actionHint: 'SIGN_IN_AGAIN' } };
    const { userCode, deviceCode } = await begin();
    await expect(claimDeviceLogin(await stale(), userCode, SEALING)).rejects.toMatchObject(SIGN_IN_AGAIN);
    const owner = await world.session();
    const { id } = await claimDeviceLogin(owner, userCode, SEALING);
    await age(owner);
    await expect(decideDeviceLogin(owner, id, 'approved')).rejects.toMatchObject(SIGN_IN_AGAIN);
    const again = await world.session();
    expect((await claimDeviceLogin(again, userCode, SEALING)).id).toBe(id);
    await decideDeviceLogin(again, id, 'approved');
    await wait();
    expect(await poll(deviceCode)).toMatchObject({ accessToken: expect.stringMatching(/^sk_live_/) });

    const refused = await begin();
    const late = await world.session();
    const login = await claimDeviceLogin(late, refused.userCode, SEALING);
    await age(late);
    expect(await decideDeviceLogin(late, login.id, 'denied')).toMatchObject({ decision: 'denied' });
  });

  test('belongs to the person who entered the code', async () => {
    const [owner, member] = [await world.session(), await world.session('member')];
    const { userCode } = await begin();
    const login = await claimDeviceLogin(owner, userCode, SEALING);
    await expect(claimDeviceLogin(member, userCode, SEALING)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(decideDeviceLogin(member, login.id, 'approved')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await claimDeviceLogin(owner, userCode, SEALING)).id).toBe(login.id);
  });

  test("a device login that is denied, expired or another client's returns no key", async () => {
    const owner = await world.session();
    const denied = await begin();
    await decideDeviceLogin(owner, (await claimDeviceLogin(owner, denied.userCode, SEALING)).id, 'denied');
    expect(await poll(denied.deviceCode)).toMatchObject({ error: 'access_denied' });
    const expired = await begin({ machineName: 'slow' });
    await world.rows(
      "update device_login set expires_at = now() - make_interval(secs => 1) where machine_name = 'slow'",
    );
    expect(await poll(expired.deviceCode)).toMatchObject({ error: 'expired_token' });
    await expect(claimDeviceLogin(owner, expired.userCode, SEALING)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const client = await register({ grant_types: ['urn:ietf:params:oauth:grant-type:device_code'], redirect_uris: [] });
    const ours = await begin({ clientId: client });
    expect(await poll(ours.deviceCode)).toMatchObject({ error: 'invalid_grant' });
    expect(await poll(ours.deviceCode, client)).toMatchObject({ error: 'authorization_pending' });
    expect(await poll('nonsense', randomUUID())).toMatchObject({ error: 'invalid_client' });
  });

  test('wrong codes from all sessions of an account are counted together, and so are those from one address', async () => {
    await world.rows('delete from throttle');
    const guess = async (context: Awaited<ReturnType<typeof world.session>>) =>
      (await atOnce(9, () => claimDeviceLogin(context, 'BBBB-BBBB', SEALING))).errors.map(
        (error) => (error as { code: string }).code,
      );
    const codes = [];
    for (let count = 0; count < 4; count += 1) codes.push(...(await guess(await world.session('member'))));
    expect(codes.filter((code) => code === 'NOT_FOUND')).toHaveLength(20);
    await world.rows('delete from throttle');
    const { userCode } = await begin();
    expect(await claimDeviceLogin(await world.session('member'), userCode, SEALING)).toMatchObject({
      userCode,
      address: BROWSER.address,
      startedAt: expect.any(Date),
    });
  });

  test('after ten wrong codes in an hour, a session waits even with the right one', async () => {
    const member = await world.session('member');
    const { userCode } = await begin();
    const { errors } = await atOnce(15, () => claimDeviceLogin(member, 'BBBB-BBBB', SEALING));
    expect(errors.filter((error) => (error as { code: string }).code === 'NOT_FOUND')).toHaveLength(10);
    await expect(claimDeviceLogin(member, userCode, SEALING)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    await world.rows("update throttle set since = since - interval '1 hour'");
    expect(await claimDeviceLogin(member, userCode, SEALING)).toMatchObject({ machineName: 'my-laptop' });
  });
});

describe('what a person has approved', () => {
  const device = async (owner: Awaited<ReturnType<typeof world.session>>, clientId = 'cli') => {
    const begun = await startDeviceLogin(
      world.service,
      { clientId, machineName: 'machine', address: BROWSER.address },
      'https://app.example.com',
      SEALING,
    );
    if ('error' in begun) throw new Error(begun.error);
    const login = await claimDeviceLogin(owner, begun.userCode, SEALING);
    return { ...begun, id: login.id };
  };
  const poll = (deviceCode: string, clientId = 'cli') =>
    pollDeviceLogin(world.service, { clientId, deviceCode }, SEALING);

  test('ends when the account is disabled, and stays ended when it is enabled again', async () => {
    const email = `leaving-${randomUUID()}@example.com`;
    const { userId } = await createAccountUser(world.ofOurs, { email, password: PASSWORD, role: 'member' });
    const { session } = await signIn(world.service, { email, password: PASSWORD, ...BROWSER });
    const person = { ...(await world.sessionOfToken(session!.token)), token: session!.token };
    const { deviceCode, id } = await device(person);
    await decideDeviceLogin(person, id, 'approved');
    const [clientId, { verifier, challenge }] = [await register(), pkce()];
    const { request } = await startAuthorization(person, requested(clientId, challenge), RESOURCES);
    const { redirectTo } = await decideAuthorization(person, request?.id ?? '', 'approved');
    await disableAccountUser(world.ofOurs, userId);
    await enableAccountUser(world.ofOurs, userId);
    expect(await poll(deviceCode)).toMatchObject({ error: 'access_denied' });
    const code = new URL(redirectTo).searchParams.get('code');
    expect(await redeem({ clientId, code, codeVerifier: verifier })).toMatchObject({ error: 'invalid_grant' });
  });

  test('is decided once, and before it expires', async () => {
    const owner = await world.session();
    const [late, denied] = [await device(owner), await device(owner)];
    await world.rows('update device_login set expires_at = now() - make_interval(secs => 1) where id = $1', [late.id]);
    await expect(decideDeviceLogin(owner, late.id, 'approved')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await decideDeviceLogin(owner, denied.id, 'denied');
    await expect(claimDeviceLogin(owner, denied.userCode, SEALING)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const { request } = await startAuthorization(owner, requested(await register(), pkce().challenge), RESOURCES);
    await world.rows('update authorization_request set expires_at = now() - make_interval(secs => 1) where id = $1', [
      request?.id,
    ]);
    await expect(decideAuthorization(owner, request?.id ?? '', 'approved')).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('counts as use of the client', async () => {
    const { clientId, code, verifier } = await approved();
    await redeem({ clientId, code, codeVerifier: verifier });
    const grant_types = ['urn:ietf:params:oauth:grant-type:device_code'];
    const ofDevice = await register({ grant_types, redirect_uris: [] });
    const owner = await world.session();
    const { deviceCode, id } = await device(owner, ofDevice);
    await decideDeviceLogin(owner, id, 'approved');
    expect(await poll(deviceCode, ofDevice)).toMatchObject({ accessToken: expect.any(String) });
    const used = 'select 1 from oauth_client where id = any($1::uuid[]) and last_used_at is not null';
    expect(await world.rows(used, [[clientId, ofDevice]])).toHaveLength(2);
  });

  test('is refused a key once the organization has 200', async () => {
    const { clientId, code, verifier, owner } = await approved();
    const [{ deviceCode, id }, waiting] = [await device(owner), await device(owner)];
    await decideDeviceLogin(owner, id, 'approved');
    const { request } = await startAuthorization(owner, requested(clientId, pkce().challenge), RESOURCES);
    const { apiKey } = await createApiKey(owner, { name: 'One of many', environment: 'test', preset: 'read' }, SEALING);
    await world.rows(
      `insert into api_key (organization_id, id, account_user_id, created_by, hash, name, environment, scopes, may_write_unsigned, created_at)
       select organization_id, gen_random_uuid(), account_user_id, created_by, sha256(number::text::bytea), 'One of many', 'live', scopes, false, created_at
         from api_key, generate_series(1, 200) number where id = $1`,
      [apiKey.id],
    );
    const full = { code: 'VALIDATION_ERROR', message: expect.stringContaining('200 active API keys') as string };
    await expect(decideAuthorization(owner, request?.id ?? '', 'approved')).rejects.toMatchObject(full);
    await expect(decideDeviceLogin(owner, waiting.id, 'approved')).rejects.toMatchObject(full);
    expect(await redeem({ clientId, code, codeVerifier: verifier })).toMatchObject({ error: 'invalid_grant' });
    expect(await poll(deviceCode)).toMatchObject({ error: 'access_denied' });
    await world.rows("delete from api_key where name = 'One of many'");
  });
});

test('clients unused for 90 days are deleted, used ones are not', async () => {
  const [unused, used] = [await register(), await register()];
  await world.rows("update oauth_client set created_at = now() - interval '91 days'");
  await world.rows('update oauth_client set last_used_at = now() where id = $1', [used]);
  await purgeExpired({ database: world.database }).step();
  expect(await world.rows('select id from oauth_client where id in ($1, $2)', [unused, used])).toEqual([{ id: used }]);
});
