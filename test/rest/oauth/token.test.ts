import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, get } from '../../support/api-client.ts';
import {
  authorizationUrl,
  CALLBACK,
  DEVICE_GRANT,
  issuedCode,
  pkce,
  postForm,
  register,
} from '../../support/oauth-requests.ts';
import { type OauthService, oauthService } from '../../support/oauth-service.ts';
import { type Person, signIn } from '../../support/person.ts';

let service: OauthService;
let person: Person;

beforeAll(async () => {
  service = await oauthService();
  person = await signIn(service);
});
afterAll(() => service.stop());
/** All tests come from one address. */
beforeEach(() => service.identity('delete from throttle'));

const token = (form: Record<string, string> | string, headers?: Record<string, string>) =>
  postForm(service.url, '/oauth/token', form, headers);
const begin = async (more: Record<string, string> = {}) =>
  (await postForm(service.url, '/oauth/device_authorization', { client_id: 'cli', ...more })).body;
const poll = (deviceCode: string) => token({ grant_type: DEVICE_GRANT, client_id: 'cli', device_code: deviceCode });
/** The next poll is not too early. */
const wait = () => service.identity("update device_login set next_poll_at = now() - interval '1 second'");

function expectRefusal(answer: Answer, error: string): void {
  expect({ status: answer.status, ...answer.body }).toEqual({
    status: 400,
    error,
    error_description: expect.any(String),
  });
  expect(answer.headers.get('cache-control')).toBe('no-store');
}

describe('200', () => {
  it('returns an ordinary key of 30 days for a code; the key can read at once', async () => {
    const { form } = await issuedCode(service.url, person);
    const answer = await token(form);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^sk_live_[0-9A-Za-z]{40}$/),
      token_type: 'Bearer',
      expires_in: 30 * 86_400,
      scope: 'costs:read revenue:read usage:read dimensions:read',
    });
    const { body } = await get(service.url, '/ping', answer.body.access_token);
    expect(body).toMatchObject({
      ok: true,
      environment: 'live',
      key_name: 'Test client',
      scopes: expect.arrayContaining(['costs:read']),
    });
    expect((Date.parse(body.expires_at) - Date.now()) / 86_400_000).toBeCloseTo(30, 2);
    const { apiKeys } = await person.ask('{ apiKeys { name clientName } }');
    expect(apiKeys).toContainEqual({ name: 'Test client', clientName: 'Test client' });
  });

  it('grants only the requested scopes', async () => {
    const { form } = await issuedCode(service.url, person, { scope: 'costs:read' });
    const { body } = await token(form);
    expect(body.scope).toBe('costs:read');
    expect(
      (await get(service.url, '/usage/summary?start_date=2026-01-01&end_date=2026-01-02', body.access_token)).status,
    ).toBe(403);
  });

  it('accepts our own resource', async () => {
    const { form } = await issuedCode(service.url, person, { resource: `${service.url}/mcp` });
    expect((await token({ ...form, resource: `${service.url}/mcp` })).status).toBe(200);
  });

  it('issues one key to twenty concurrent uses of a code, and then revokes it', async () => {
    const { form } = await issuedCode(service.url, person);
    const answers = await Promise.all(Array.from({ length: 20 }, () => token(form)));
    const winners = answers.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) expectRefusal(answer, 'invalid_grant');
    // The nineteen others are reuses of the code: anyone holding the key may have stolen it.
    expect((await get(service.url, '/ping', winners[0]!.body.access_token)).status).toBe(401);
  });

  it('returns a key of 90 days, named after the machine, for an approved device', async () => {
    const { device_code: deviceCode, user_code: userCode } = await begin({ machine_name: 'laptop' });
    await person.decideDevice(userCode.toLowerCase().replace('-', ''));
    const answer = await poll(deviceCode);
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^sk_live_/),
      token_type: 'Bearer',
      expires_in: 90 * 86_400,
      scope: 'costs:read revenue:read usage:read dimensions:read',
    });
    expect((await get(service.url, '/ping', answer.body.access_token)).body).toMatchObject({
      key_name: 'laptop',
      environment: 'live',
    });
    await wait();
    expectRefusal(await poll(deviceCode), 'invalid_grant');
  });

  it('returns one key to twenty concurrent polls of an approved device', async () => {
    const { device_code: deviceCode, user_code: userCode } = await begin();
    await person.decideDevice(userCode);
    const answers = await Promise.all(Array.from({ length: 20 }, () => poll(deviceCode)));
    expect(answers.filter(({ status }) => status === 200).length).toBe(1);
  });
});

describe('400', () => {
  it.each([
    ['an empty body', '', 'invalid_request'],
    ['an unknown grant', 'grant_type=password&username=a&password=b', 'unsupported_grant_type'],
    [
      'a refresh, which is not supported',
      'grant_type=refresh_token&refresh_token=x&client_id=cli',
      'unsupported_grant_type',
    ],
    ['client credentials', 'grant_type=client_credentials', 'unsupported_grant_type'],
    ['a code without its verifier', 'grant_type=authorization_code&client_id=x&code=y', 'invalid_request'],
    ['a repeated parameter', 'grant_type=authorization_code&grant_type=authorization_code', 'invalid_request'],
    ['an unknown client', 'grant_type=authorization_code&client_id=nobody&code=CODE&code_verifier=v', 'invalid_client'],
    ['a device code without its client', `grant_type=${DEVICE_GRANT}&device_code=x`, 'invalid_request'],
    ['an unknown device code', `grant_type=${DEVICE_GRANT}&client_id=cli&device_code=x`, 'invalid_grant'],
    ['a client with a NUL in its name', `grant_type=${DEVICE_GRANT}&client_id=%00&device_code=x`, 'invalid_client'],
  ])('refuses %s', async (_, form, error) => expectRefusal(await token(form.replace('CODE', 'A'.repeat(43))), error));

  it('revokes the key if its code is used again', async () => {
    const { form } = await issuedCode(service.url, person);
    const key = (await token(form)).body.access_token;
    expect((await get(service.url, '/ping', key)).status).toBe(200);
    expectRefusal(await token(form), 'invalid_grant');
    expect((await get(service.url, '/ping', key)).status).toBe(401);
  });

  it.each([
    ['another verifier', () => ({ code_verifier: pkce().verifier })],
    ['the challenge as verifier', () => ({ code_verifier: 'x'.repeat(43) })],
    ['another redirect URI', () => ({ redirect_uri: `${CALLBACK}/` })],
  ])('refuses a code with %s, and uses the code up', async (_, change) => {
    const { form } = await issuedCode(service.url, person);
    expectRefusal(await token({ ...form, ...change() }), 'invalid_grant');
    expectRefusal(await token(form), 'invalid_grant');
  });

  it("refuses another client's code", async () => {
    const { form } = await issuedCode(service.url, person);
    const { body: other } = await register(service.url, { redirect_uris: [CALLBACK] });
    expectRefusal(await token({ ...form, client_id: other.client_id }), 'invalid_grant');
  });

  it('refuses a code after its minute', async () => {
    const { form } = await issuedCode(service.url, person);
    const [row] = await service.identity(
      'select extract(epoch from expires_at - created_at)::int as seconds from authorization_code order by created_at desc limit 1',
    );
    expect(row).toEqual({ seconds: 60 });
    await service.identity("update authorization_code set expires_at = now() - interval '1 second'");
    expectRefusal(await token(form), 'invalid_grant');
  });

  it('refuses a resource that is not ours', async () => {
    const { form } = await issuedCode(service.url, person);
    expectRefusal(await token({ ...form, resource: 'https://elsewhere.example/mcp' }), 'invalid_target');
  });

  it('reports that nobody has decided yet, and slows an early poll down by five seconds', async () => {
    const { device_code: deviceCode, interval } = await begin();
    expect(interval).toBe(5);
    expectRefusal(await poll(deviceCode), 'authorization_pending');
    expectRefusal(await poll(deviceCode), 'slow_down');
    const [row] = await service.identity(
      'select interval_seconds::int as seconds from device_login order by created_at desc limit 1',
    );
    expect(row).toEqual({ seconds: 10 });
    await wait();
    expectRefusal(await poll(deviceCode), 'authorization_pending');
  });

  it('reports that the device was denied', async () => {
    const { device_code: deviceCode, user_code: userCode } = await begin();
    await person.decideDevice(userCode, 'deny');
    expectRefusal(await poll(deviceCode), 'access_denied');
  });

  it('reports that a device code has expired after 15 minutes, approved or not', async () => {
    const { device_code: deviceCode, user_code: userCode, expires_in: seconds } = await begin();
    expect(seconds).toBe(900);
    await person.decideDevice(userCode);
    await service.identity("update device_login set expires_at = now() - interval '1 second'");
    expectRefusal(await poll(deviceCode), 'expired_token');
  });

  it('accepts a device code only from its own client', async () => {
    const { device_code: deviceCode, user_code: userCode } = await begin();
    await person.decideDevice(userCode);
    const { body: other } = await register(service.url, { grant_types: [DEVICE_GRANT] });
    expectRefusal(
      await token({ grant_type: DEVICE_GRANT, client_id: other.client_id, device_code: deviceCode }),
      'invalid_grant',
    );
    expect((await poll(deviceCode)).status).toBe(200);
  });
});

describe('the authorization request', () => {
  it.each([
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a challenge without a method', { code_challenge_method: null }, 'invalid_request'],
    ['no PKCE', { code_challenge: null, code_challenge_method: null }, 'invalid_request'],
    ['a write scope', { scope: 'usage:write' }, 'invalid_scope'],
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['a resource of somebody else', { resource: 'https://elsewhere.example' }, 'invalid_target'],
  ])('returns %s to the client as an error', async (_, more, error) => {
    const { body } = await register(service.url, { redirect_uris: [CALLBACK] });
    const back = await person.authorize(authorizationUrl(service.url, body.client_id, pkce().challenge, more));
    expect([
      back.origin + back.pathname,
      back.searchParams.get('error'),
      back.searchParams.get('state'),
      back.searchParams.get('code'),
    ]).toEqual([CALLBACK, error, 'xyz', null]);
  });

  it.each([
    `${CALLBACK}/`,
    `${CALLBACK}?x=1`,
    'http://127.0.0.1:10/callback',
    'http://localhost:9/callback',
    'HTTP://127.0.0.1:9/callback',
    'https://elsewhere.example',
  ])('redirects nobody to %s, which is not registered', async (uri) => {
    const { body } = await register(service.url, { redirect_uris: [CALLBACK] });
    await expect(
      person.authorize(authorizationUrl(service.url, body.client_id, pkce().challenge, { redirect_uri: uri })),
    ).rejects.toThrow(/redirect URI/);
  });

  it('redirects nobody for an unknown client', async () => {
    await expect(person.authorize(authorizationUrl(service.url, 'nobody', pkce().challenge))).rejects.toThrow(
      /not registered/,
    );
  });
});

describe('413', () => {
  it('refuses a body that is larger than this endpoint needs', async () => {
    const answer = await token({ grant_type: 'x', more: 'x'.repeat(70_000) });
    expect([answer.status, answer.body.error]).toEqual([413, 'invalid_request']);
  });
});

describe('415', () => {
  it('refuses JSON', async () => {
    const answer = await token('{}', { 'content-type': 'application/json' });
    expect([answer.status, answer.body.error]).toEqual([415, 'invalid_request']);
  });
});
