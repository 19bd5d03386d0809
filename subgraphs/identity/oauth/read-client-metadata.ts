/**
 * Validates the metadata that a client sends at registration (RFC 7591, section 2). Only stored fields are examined.
 */
import { REDIRECT_URIS_MAX } from '../config.ts';
import type { OauthRefusal } from './oauth-refusal.ts';
import { redirectUriError } from './redirect-uri.ts';
import { displayName } from './display-name.ts';

export const AUTHORIZATION_CODE_GRANT = 'authorization_code';
export const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const GRANTS = [AUTHORIZATION_CODE_GRANT, DEVICE_CODE_GRANT];

export interface ClientMetadata {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly string[];
}

/**
 * Unsupported requests, for example a secret or refresh tokens, are left out of the response, as RFC 7591 allows:
 * every client is public.
 */
export function readClientMetadata(sent: unknown): ClientMetadata | OauthRefusal {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    return invalid('The metadata must be a JSON object');
  const {
    client_name: name,
    redirect_uris: uris = [],
    grant_types: grants = [AUTHORIZATION_CODE_GRANT],
    response_types: responses,
  } = sent as Record<string, unknown>;
  if (!isTexts(grants)) return invalid('grant_types must be an array of strings');
  const grantTypes = GRANTS.filter((grant) => grants.includes(grant));
  if (grantTypes.length === 0) return invalid(`grant_types must contain one of ${GRANTS.join(', ')}`);
  const usesCodes = grantTypes.includes(AUTHORIZATION_CODE_GRANT);
  if (responses !== undefined && (!isTexts(responses) || (usesCodes && !responses.includes('code'))))
    return invalid('response_types must contain code');
  if (!Array.isArray(uris)) return refusal('invalid_redirect_uri', 'redirect_uris must be an array of strings');
  if (usesCodes && uris.length === 0)
    return refusal('invalid_redirect_uri', 'redirect_uris must contain at least one URI');
  if (uris.length > REDIRECT_URIS_MAX)
    return refusal('invalid_redirect_uri', `redirect_uris must contain at most ${REDIRECT_URIS_MAX} URIs`);
  const error = uris.map(redirectUriError).find((found) => found !== null);
  if (error != null) return refusal('invalid_redirect_uri', error);
  return { name: displayName(name) ?? 'Unnamed client', redirectUris: uris as string[], grantTypes };
}

function invalid(errorDescription: string): OauthRefusal {
  return refusal('invalid_client_metadata', errorDescription);
}

function refusal(error: OauthRefusal['error'], errorDescription: string): OauthRefusal {
  return { error, errorDescription };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
