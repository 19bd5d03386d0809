/** A third-party client that checks each response against its RFC. */
import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get } from '../../support/api-client.ts';
import { CALLBACK } from '../../support/oauth-requests.ts';
import { type OauthService, oauthService } from '../../support/oauth-service.ts';
import { type Person, signIn } from '../../support/person.ts';

const PLAIN_HTTP = { [oauth.allowInsecureRequests]: true };

let service: OauthService;
let person: Person;
let server: oauth.AuthorizationServer;
beforeAll(async () => {
  service = await oauthService();
  person = await signIn(service);
  const issuer = new URL(service.url);
  server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...PLAIN_HTTP }),
  );
});
afterAll(() => service.stop());

async function registered(metadata: Partial<oauth.Client>): Promise<oauth.Client> {
  return oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(
      server,
      { token_endpoint_auth_method: 'none', ...metadata },
      PLAIN_HTTP,
    ),
  );
}

async function authorizationUrl(client: oauth.Client, verifier: string, state: string): Promise<URL> {
  const url = new URL(server.authorization_endpoint ?? '');
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: CALLBACK,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  return url;
}

describe('oauth4webapi', () => {
  it('finds the protected resource and its authorization server', async () => {
    const resource = new URL(`${service.url}/mcp`);
    const found = await oauth.processResourceDiscoveryResponse(
      resource,
      await oauth.resourceDiscoveryRequest(resource, PLAIN_HTTP),
    );
    expect(found.authorization_servers).toEqual([server.issuer]);
  });

  it('discovers, registers, gets a key by code and PKCE, reads with it, and revokes it', async () => {
    const client = await registered({ client_name: 'oauth4webapi', redirect_uris: [CALLBACK] });
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const back = oauth.validateAuthResponse(
      server,
      client,
      await person.authorize(await authorizationUrl(client, verifier, state)),
      state,
    );
    const answer = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      back,
      CALLBACK,
      verifier,
      PLAIN_HTTP,
    );
    const { access_token: key, expires_in: seconds } = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      answer,
    );
    expect(seconds).toBe(30 * 86_400);
    const ping = await oauth.protectedResourceRequest(
      key,
      'GET',
      new URL(`${service.url}/v1/ping`),
      undefined,
      undefined,
      PLAIN_HTTP,
    );
    expect(await ping.json()).toMatchObject({ ok: true });
    expect(
      await oauth.processRevocationResponse(
        await oauth.revocationRequest(server, client, oauth.None(), key, PLAIN_HTTP),
      ),
    ).toBeUndefined();
    expect((await get(service.url, '/ping', key)).status).toBe(401);
  });

  it('receives each error of the token endpoint as its RFC defines it', async () => {
    const client = await registered({ redirect_uris: [CALLBACK] });
    const verifier = oauth.generateRandomCodeVerifier();
    const back = oauth.validateAuthResponse(
      server,
      client,
      await person.authorize(await authorizationUrl(client, verifier, 's')),
      's',
    );
    const answer = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      back,
      CALLBACK,
      oauth.generateRandomCodeVerifier(),
      PLAIN_HTTP,
    );
    await expect(oauth.processAuthorizationCodeResponse(server, client, answer)).rejects.toMatchObject({
      error: 'invalid_grant',
      status: 400,
    });
  });

  it('signs the command line in, and waits as long as it is told', async () => {
    const client = { client_id: 'cli' };
    const begun = await oauth.processDeviceAuthorizationResponse(
      server,
      client,
      await oauth.deviceAuthorizationRequest(server, client, oauth.None(), { machine_name: 'laptop' }, PLAIN_HTTP),
    );
    const poll = async () =>
      oauth.processDeviceCodeResponse(
        server,
        client,
        await oauth.deviceCodeGrantRequest(server, client, oauth.None(), begun.device_code, PLAIN_HTTP),
      );
    await expect(poll()).rejects.toMatchObject({ error: 'authorization_pending' });
    await expect(poll()).rejects.toMatchObject({ error: 'slow_down' });
    await person.decideDevice(begun.user_code);
    await service.identity('update device_login set next_poll_at = created_at');
    expect((await poll()).token_type).toBe('bearer');
  });
});
