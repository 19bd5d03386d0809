/** Another third-party client, given only the service's address. */
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get } from '../../support/api-client.ts';
import { CALLBACK, DEVICE_GRANT } from '../../support/oauth-requests.ts';
import { type OauthService, oauthService } from '../../support/oauth-service.ts';
import { type Person, signIn } from '../../support/person.ts';

let service: OauthService;
let person: Person;
beforeAll(async () => {
  service = await oauthService();
  person = await signIn(service);
});
afterAll(() => service.stop());

/** The test's service uses plain HTTP. */
const PLAIN_HTTP = { algorithm: 'oauth2' as const, execute: [client.allowInsecureRequests] };

const register = (metadata: Partial<client.ClientMetadata>) =>
  client.dynamicClientRegistration(new URL(service.url), metadata, client.None(), PLAIN_HTTP);
const discover = (clientId: string) =>
  client.discovery(new URL(service.url), clientId, undefined, client.None(), PLAIN_HTTP);

describe('openid-client', () => {
  it('discovers, registers, gets a key by code and PKCE, reads with it, and revokes it', async () => {
    const config = await register({
      client_name: 'openid-client',
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'none',
    });
    expect(config.serverMetadata().supportsPKCE()).toBe(true);
    const verifier = client.randomPKCECodeVerifier();
    const state = client.randomState();
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: 'costs:read usage:read',
      state,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const tokens = await client.authorizationCodeGrant(config, await person.authorize(url), {
      pkceCodeVerifier: verifier,
      expectedState: state,
    });
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 30 * 86_400, scope: 'costs:read usage:read' });
    const answer = await client.fetchProtectedResource(
      config,
      tokens.access_token,
      new URL(`${service.url}/v1/ping`),
      'GET',
    );
    expect(await answer.json()).toMatchObject({ ok: true, key_name: 'openid-client' });
    await client.tokenRevocation(config, tokens.access_token);
    expect((await get(service.url, '/ping', tokens.access_token)).status).toBe(401);
  });

  it('signs a device in, and waits as long as it is told', async () => {
    const config = await register({
      client_name: 'television',
      grant_types: [DEVICE_GRANT],
      token_endpoint_auth_method: 'none',
    });
    const begun = await client.initiateDeviceAuthorization(config, { machine_name: 'living room' });
    const polling = client.pollDeviceAuthorizationGrant(config, { ...begun, interval: 1 });
    await person.decideDevice(begun.user_code);
    const tokens = await polling;
    expect((await get(service.url, '/ping', tokens.access_token)).body).toMatchObject({ key_name: 'living room' });
  });

  it('signs the command line in without registering', async () => {
    const config = await discover('cli');
    const begun = await client.initiateDeviceAuthorization(config, {});
    await person.decideDevice(begun.user_code);
    const tokens = await client.pollDeviceAuthorizationGrant(config, { ...begun, interval: 1 });
    expect(tokens.expires_in).toBe(90 * 86_400);
  });

  it('receives a denial', async () => {
    const config = await discover('cli');
    const begun = await client.initiateDeviceAuthorization(config, {});
    await person.decideDevice(begun.user_code, 'deny');
    await expect(client.pollDeviceAuthorizationGrant(config, { ...begun, interval: 1 })).rejects.toMatchObject({
      error: 'access_denied',
    });
  });

  it('receives the error for a used code', async () => {
    const config = await register({ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' });
    const verifier = client.randomPKCECodeVerifier();
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const back = await person.authorize(url);
    await client.authorizationCodeGrant(config, back, { pkceCodeVerifier: verifier });
    await expect(client.authorizationCodeGrant(config, back, { pkceCodeVerifier: verifier })).rejects.toMatchObject({
      error: 'invalid_grant',
      status: 400,
    });
  });
});
