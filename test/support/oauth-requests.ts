/** Requests to the OAuth endpoints as sent by a client; each response is validated against the OpenAPI document. */
import { createHash, randomBytes } from 'node:crypto';
import { type Answer, read } from './api-client.ts';
import { checkAgainstOpenApi } from './check-against-openapi.ts';
import type { Person } from './person.ts';

export const CALLBACK = 'http://127.0.0.1:9/callback';
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** `path` without `/v1`; `fields` as a form, or text as it is. */
export async function postForm(
  url: string,
  path: string,
  fields: Record<string, string> | string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const answer = await read(
    await fetch(`${url}/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: typeof fields === 'string' ? fields : new URLSearchParams(fields).toString(),
    }),
  );
  await checkAgainstOpenApi(url, 'POST', path, answer.status, answer.body);
  return answer;
}

/** `metadata` as JSON, or text as it is. */
export async function register(url: string, metadata: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const body = typeof metadata === 'string' ? metadata : JSON.stringify(metadata);
  const answer = await read(
    await fetch(`${url}/v1/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    }),
  );
  await checkAgainstOpenApi(url, 'POST', '/oauth/register', answer.status, answer.body);
  return answer;
}

export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

export function pkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** URL of the authorization endpoint for this client; `more` replaces parameters, or leaves them out if null. */
export function authorizationUrl(
  url: string,
  clientId: string,
  challenge: string,
  more: Readonly<Record<string, string | null>> = {},
): URL {
  const input = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CALLBACK,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'xyz',
    ...more,
  };
  const parameters = Object.entries(input).filter((entry): entry is [string, string] => entry[1] !== null);
  return new URL(`${url}/oauth/authorize?${new URLSearchParams(parameters)}`);
}

export interface IssuedCode {
  /** All parameters that the token endpoint needs. */
  readonly form: Record<string, string>;
  readonly clientId: string;
}

/** Registers a client and lets the person approve it. Returns the parameters for the token endpoint. */
export async function issuedCode(
  url: string,
  person: Person,
  more: Readonly<Record<string, string | null>> = {},
): Promise<IssuedCode> {
  const {
    body: { client_id: clientId },
  } = await register(url, { client_name: 'Test client', redirect_uris: [CALLBACK] });
  const { verifier, challenge } = pkce();
  const back = await person.authorize(authorizationUrl(url, clientId, challenge, more));
  const code = back.searchParams.get('code') ?? '';
  return {
    clientId,
    form: {
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      redirect_uri: CALLBACK,
      code_verifier: verifier,
    },
  };
}
