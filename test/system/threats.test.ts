/** Attacks on identity's endpoints, over HTTP; attacks on OAuth are tested with its routes in `test/rest/oauth`. */
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { get } from '../support/api-client.ts';
import { expectEnvelope } from '../support/envelope.ts';
import { type OauthService, oauthService } from '../support/oauth-service.ts';
import { asPages, type Person, signIn } from '../support/person.ts';
import { totpCode } from '../support/totp-code.ts';
import { MINUTES } from '../support/patience.ts';

// Starts processes one after another, which takes a minute or two on a busy machine.
vi.setConfig(MINUTES);

let service: OauthService;
let person: Person;
beforeAll(async () => {
  // Failed sign-ins would slow down those of other files from this address.
  service = await oauthService({});
  person = await signIn(service);
});
afterAll(() => service.stop());
afterEach(() => service.identity('delete from throttle'));

const ADDRESS = { address: '198.51.100.7', userAgent: 'x' };
const SIGN_IN =
  'mutation ($email: String!, $password: String!, $address: String!, $userAgent: String!) { signIn(email: $email, password: $password, address: $address, userAgent: $userAgent) { session { token } attempt { token } } }';
const COMPLETE =
  'mutation ($attempt: String!, $code: String!, $address: String!, $userAgent: String!) { completeSignIn(attempt: $attempt, code: $code, address: $address, userAgent: $userAgent) { session { token } guessesLeft } }';
const trySignIn = async (email: string, password: string) =>
  (await asPages(service, SIGN_IN, { email, password, ...ADDRESS })).body;
const newKey = async (): Promise<{ secret: string; apiKey: { id: string } }> =>
  (
    await person.ask(
      'mutation { key: apiKeyCreate(input: {name: "k", environment: "live", preset: "read"}) { createdApiKey { secret apiKey { id } } userErrors { message } } }',
    )
  ).key.createdApiKey;

describe('keys', () => {
  it('returns 401 to a bad key however often it is sent, and a good one still works', async () => {
    const bad = `sk_live_${randomBytes(20).toString('hex')}`;
    const answers = await Promise.all(Array.from({ length: 250 }, () => get(service.url, '/ping', bad)));
    for (const answer of answers) expectEnvelope(answer, 401, 'UNAUTHORIZED');
    expect((await get(service.url, '/ping', service.firstRun.live_read_key)).status).toBe(200);
  });

  it('gives eight concurrent rotations of a key one new key, and revokes the old one', async () => {
    const {
      secret,
      apiKey: { id },
    } = await newKey();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, () =>
        person.ask(
          'mutation ($id: ID!) { apiKeyRotate(input: { id: $id }) { rotatedApiKey { apiKey } userErrors { message } } }',
          { id },
        ),
      ),
    );
    const winners = outcomes.flatMap((outcome) =>
      outcome.status === 'fulfilled' && outcome.value.apiKeyRotate.rotatedApiKey
        ? [outcome.value.apiKeyRotate.rotatedApiKey.apiKey as string]
        : [],
    );
    expect(winners).toHaveLength(1);
    expect((await get(service.url, '/ping', winners[0]!)).status).toBe(200);
    expect((await get(service.url, '/ping', secret)).status).toBe(401);
  });

  it('does not let a key rotate, approve or list what belongs to a session', async () => {
    const {
      apiKey: { id },
    } = await newKey();
    for (const query of [
      `mutation { apiKeyRotate(input: { id: "${id}" }) { rotatedApiKey { apiKey } userErrors { message } } }`,
      '{ sessions { id } }',
      '{ auditLog { nodes { id } } }',
      'mutation { deviceLoginClaim(input: { userCode: "BBBB-BBBB" }) { deviceLogin { id } userErrors { message code } } }',
    ]) {
      const answer = await fetch(`${service.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${service.firstRun.live_read_key}` },
        body: JSON.stringify({ query }),
      });
      expect(((await answer.json()) as { errors: { extensions: { code: string } }[] }).errors[0]!.extensions.code).toBe(
        'FORBIDDEN',
      );
    }
  });
});

describe("the session's cookie", () => {
  it('does not work without the header that no form can send', async () => {
    const answer = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: `session=${person.session}` },
      body: JSON.stringify({ query: '{ sessions { id } }' }),
    });
    expect(((await answer.json()) as { errors: unknown[] }).errors).toHaveLength(1);
  });
});

describe('an opaque origin', () => {
  it.each(['/graphql', '/sessions/end-others', '/v1/api-keys/x/rotate'])(
    'changes nothing with a cookie: %s',
    async (path) => {
      const type = path === '/graphql' ? 'application/json' : 'application/x-www-form-urlencoded';
      const answer = await fetch(`${service.url}${path}`, {
        method: 'POST',
        headers: {
          'content-type': type,
          cookie: `session=${person.session}`,
          origin: 'null',
          'x-requested-with': 'test',
          host: 'books.lan:4501',
        },
        body:
          path === '/graphql'
            ? JSON.stringify({ query: 'mutation { otherSessionsEnd { endedSessions userErrors { message code } } }' })
            : '',
      });
      const text = await answer.text();
      if (path === '/graphql')
        expect(JSON.parse(text)).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHORIZED' } }] });
      else expect(answer.status).toBe(403);
    },
  );
});

describe('sign-in', () => {
  it('serves sixty correct sign-ins from one address', async () => {
    for (let count = 0; count < 60; count += 1) {
      const body = await trySignIn(service.firstRun.owner_email, service.firstRun.owner_password);
      expect(body.data?.signIn?.session?.token, JSON.stringify(body)).toEqual(expect.any(String));
    }
  });

  it('serves sixty concurrent sign-ins, or says when to retry', async () => {
    const bodies = await Promise.all(
      Array.from({ length: 60 }, () => trySignIn(service.firstRun.owner_email, service.firstRun.owner_password)),
    );
    const refused = bodies.filter((body) => body.errors !== undefined);
    // Ten attempts are free, and a correct password does not count as a failure.
    expect(refused.length).toBeLessThanOrEqual(60 - 10);
    for (const {
      errors: [{ extensions }],
    } of refused)
      expect(extensions).toMatchObject({
        code: 'RATE_LIMIT_EXCEEDED',
        details: { retryAfterSeconds: expect.any(Number) },
      });
  });

  it('is the same for an unknown account as for a wrong password', async () => {
    const [unknown, wrong] = [
      await trySignIn('nobody@example.com', 'a wrong password'),
      await trySignIn(service.firstRun.owner_email, 'a wrong password'),
    ];
    const detail = (body: { errors: { message: string; extensions: object }[] }) => [
      body.errors[0]!.message,
      { ...body.errors[0]!.extensions, correlationId: '' },
    ];
    expect(detail(unknown)).toEqual(detail(wrong));
  });

  it('delays a guesser from the eleventh failure on, and says for how long', async () => {
    const codes: string[] = [];
    for (let count = 0; count < 14; count += 1)
      codes.push((await trySignIn(service.firstRun.owner_email, `guess number ${count}`)).errors[0].extensions.code);
    expect(codes.slice(0, 10)).toEqual(Array(10).fill('UNAUTHORIZED'));
    expect(codes.slice(10)).toContain('RATE_LIMIT_EXCEEDED');
  });
});

describe('the second factor', () => {
  it('cannot be set up with the cookie of a session that has just begun: it may be a copy', async () => {
    await expect(
      person.ask('mutation { secondFactorStart(input: {}) { offer { secret } userErrors { message code } } }'),
    ).rejects.toThrow(/password.*required/);
    await expect(
      person.ask(
        'mutation { secondFactorStart(input: { password: "not the password" }) { offer { secret } userErrors { message code } } }',
      ),
    ).rejects.toThrow('The password is wrong');
  });

  it('accepts at most five guesses, however parallel, and then voids the attempt', async () => {
    const {
      secondFactorStart: {
        offer: { secret },
      },
    } = await person.ask(
      'mutation ($password: String!) { secondFactorStart(input: { password: $password }) { offer { secret } userErrors { message code } } }',
      {
        password: service.firstRun.owner_password,
      },
    );
    await person.ask(
      'mutation ($code: String!) { secondFactorConfirm(input: { code: $code }) { recoveryCodes { codes } userErrors { message code } } }',
      {
        code: totpCode(secret),
      },
    );
    const {
      signIn: { session, attempt },
    } = (await trySignIn(service.firstRun.owner_email, service.firstRun.owner_password)).data;
    expect(session).toBeNull();
    const wrong = totpCode(secret) === '000000' ? '000001' : '000000';
    const guess = async (code: string) =>
      (await asPages(service, COMPLETE, { attempt: attempt.token, code, ...ADDRESS })).body;
    const answers = await Promise.all(Array.from({ length: 20 }, () => guess(wrong)));
    const left = answers.map((body) => body.data.completeSignIn.guessesLeft as number);
    expect([left.filter((count) => count > 0).sort(), left.filter((count) => count === 0).length]).toEqual([
      [1, 2, 3, 4],
      16,
    ]);
    // Even the correct code is now too late.
    const late = await guess(totpCode(secret, Date.now() + 30_000));
    expect(late.data?.completeSignIn?.session ?? null).toBeNull();
  });
});
