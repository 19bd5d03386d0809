import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get } from '../../support/api-client.ts';
import { expectEnvelope } from '../../support/envelope.ts';
import { postForm } from '../../support/oauth-requests.ts';
import { type OauthService, oauthService } from '../../support/oauth-service.ts';
import { type Person, signIn } from '../../support/person.ts';

let service: OauthService;
let person: Person;
beforeAll(async () => {
  service = await oauthService();
  person = await signIn(service);
});
afterAll(() => service.stop());

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const revoke = (form: Record<string, string> | string, headers: Record<string, string> = {}) =>
  postForm(service.url, '/oauth/revoke', form, headers);
const newKey = async (): Promise<string> =>
  (
    await person.ask(
      'mutation { key: apiKeyCreate(input: {name: "k", environment: "live", preset: "read"}) { createdApiKey { secret } userErrors { message } } }',
    )
  ).key.createdApiKey.secret;
const lives = async (key: string) => (await get(service.url, '/ping', key)).status === 200;

describe('200', () => {
  it('revokes the bearer key at once, and accepts a key that is already revoked', async () => {
    const key = await newKey();
    expect(await lives(key)).toBe(true);
    expect((await revoke('', bearer(key))).status).toBe(200);
    expect(await lives(key)).toBe(false);
    expect((await revoke('', bearer(key))).status).toBe(200);
  });

  it('revokes the key in the field `token`', async () => {
    const key = await newKey();
    expect((await revoke({ token: key, token_type_hint: 'access_token', client_id: 'x' })).status).toBe(200);
    expect(await lives(key)).toBe(false);
  });

  it('uses the bearer if both are given', async () => {
    const [mine, other] = [await newKey(), await newKey()];
    await revoke({ token: other }, bearer(mine));
    expect([await lives(mine), await lives(other)]).toEqual([false, true]);
  });

  it('needs no body and no content type', async () => {
    const key = await newKey();
    expect((await fetch(`${service.url}/v1/oauth/revoke`, { method: 'POST', headers: bearer(key) })).status).toBe(200);
    expect(await lives(key)).toBe(false);
    expect((await revoke('{}', { ...bearer(key), 'content-type': 'application/json' })).status).toBe(200);
  });

  it.each(['rubbish', `sk_live_${'A'.repeat(40)}`, 'x'.repeat(5000)])(
    'is the same for a token that never existed',
    async (token) => {
      expect((await revoke({ token })).status).toBe(200);
      expect((await revoke('', bearer(token))).status).toBe(200);
    },
  );
});

describe('401', () => {
  it.each([
    ['no token', ''],
    ['an empty one', 'token='],
    ['only a hint', 'token_type_hint=access_token'],
  ])('needs a token: %s', async (_, form) => {
    expectEnvelope(await revoke(form), 401, 'UNAUTHORIZED');
  });
});

describe('400', () => {
  it('refuses two tokens', async () => expectEnvelope(await revoke('token=a&token=b'), 400, 'VALIDATION_ERROR'));
});
