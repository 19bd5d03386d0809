import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CALLBACK, DEVICE_GRANT, postForm, register } from '../../support/oauth-requests.ts';
import { type OauthService, oauthService } from '../../support/oauth-service.ts';
import { signIn } from '../../support/person.ts';

let service: OauthService;
beforeAll(async () => {
  // The tests exhaust limits by address, so other files must not share the service.
  service = await oauthService({});
});
afterAll(() => service.stop());
beforeEach(() => service.identity('delete from throttle'));

const begin = (form: Record<string, string> | string) => postForm(service.url, '/oauth/device_authorization', form);

describe('200', () => {
  it('begins a login of fifteen minutes with a code that a person can type', async () => {
    const { status, headers, body } = await begin({ client_id: 'cli', machine_name: 'laptop', scope: 'usage:write' });
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      device_code: expect.stringMatching(/^[\w-]{43}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${service.url}/activate`,
      verification_uri_complete: `${service.url}/activate?user_code=${body.user_code}`,
      expires_in: 900,
      interval: 5,
    });
  });

  it('accepts a client that registered for it', async () => {
    const { body } = await register(service.url, { grant_types: [DEVICE_GRANT] });
    expect((await begin({ client_id: body.client_id })).status).toBe(200);
  });
});

describe('400', () => {
  it.each([
    ['no client', '', 'invalid_request'],
    ['an unknown client', 'client_id=nobody', 'invalid_client'],
    ['two clients', 'client_id=cli&client_id=cli', 'invalid_request'],
  ])('refuses %s', async (_, form, error) => {
    const { status, body } = await begin(form);
    expect([status, body]).toEqual([400, { error, error_description: expect.any(String) }]);
  });

  it('refuses a client that registered for codes only', async () => {
    const { body } = await register(service.url, { redirect_uris: [CALLBACK] });
    expect((await begin({ client_id: body.client_id })).body.error).toBe('unauthorized_client');
  });
});

describe('429', () => {
  it('serves sixty logins from one address, and says when to retry beyond that', async () => {
    const answers = [];
    for (let count = 0; count < 130; count += 1) answers.push(await begin({ client_id: 'cli' }));
    expect(answers.slice(0, 60).map(({ status }) => status)).toEqual(Array(60).fill(200));
    expect([answers.at(-1)!.status, answers.at(-1)!.body.error]).toEqual([429, 'temporarily_unavailable']);
    expect(Number(answers.at(-1)!.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('the code that is entered', () => {
  it('is limited to ten wrong attempts in an hour, and entering it decides nothing', async () => {
    const person = await signIn(service);
    const { body } = await begin({ client_id: 'cli', machine_name: 'laptop' });
    const claim = (userCode: string) =>
      person.ask(
        'mutation ($userCode: String!) { deviceLoginClaim(input: { userCode: $userCode }) { deviceLogin { machineName decision } userErrors { message code } } }',
        {
          userCode,
        },
      );
    expect(await claim(body.user_code)).toEqual({
      deviceLoginClaim: { deviceLogin: { machineName: 'laptop', decision: null }, userErrors: [] },
    });
    for (let wrong = 0; wrong < 10; wrong += 1) await expect(claim('BBBB-BBBB')).rejects.toThrow(/NOT_FOUND/);
    await expect(claim('BBBB-BBBB')).rejects.toThrow(/RATE_LIMIT_EXCEEDED/);
    await expect(claim((await begin({ client_id: 'cli' })).body.user_code)).rejects.toThrow(/RATE_LIMIT_EXCEEDED/);
  });

  it('belongs to the person who entered it first, in the session that entered it last', async () => {
    const [first, second] = [await signIn(service), await signIn(service)];
    await first.ask(
      'mutation { accountUserCreate(input: { email: "eve@example.com", password: "correct horse battery" }) { accountUser { id } } }',
    );
    const eve = await signIn({
      ...service,
      firstRun: { ...service.firstRun, owner_email: 'eve@example.com', owner_password: 'correct horse battery' },
    });
    const {
      body: { user_code: userCode },
    } = await begin({ client_id: 'cli' });
    const claim =
      'mutation ($userCode: String!) { deviceLoginClaim(input: { userCode: $userCode }) { deviceLogin { id } userErrors { message code } } }';
    const approve =
      'mutation ($id: ID!) { deviceLoginApprove(input: { id: $id }) { deviceLogin { id } userErrors { message code } } }';
    const {
      deviceLoginClaim: {
        deviceLogin: { id },
      },
    } = await first.ask(claim, { userCode });
    await expect(eve.ask(claim, { userCode })).rejects.toThrow(/NOT_FOUND/);
    await expect(eve.ask(approve, { id })).rejects.toThrow(/NOT_FOUND/);
    // The same person continues after a new sign-in; the earlier session has lost the login.
    expect(await second.ask(claim, { userCode })).toEqual({
      deviceLoginClaim: { deviceLogin: { id }, userErrors: [] },
    });
    await expect(first.ask(approve, { id })).rejects.toThrow(/NOT_FOUND/);
    expect(await second.ask(approve, { id })).toEqual({ deviceLoginApprove: { deviceLogin: { id }, userErrors: [] } });
  });
});
