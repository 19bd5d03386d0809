/**
 * Validates the parameters of an authorization request whose client and redirect URI are valid (RFC 6749, 7636, 8707).
 */
import { QUERY_SCOPES, type Scope } from '#schema/scopes.ts';
import type { OauthRefusal } from './oauth-refusal.ts';
import { isOurResource } from './is-our-resource.ts';

/** Length of a SHA-256 digest in base64url. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
export const STATE_LENGTH_MAX = 2_048;

export interface AuthorizationParameters {
  readonly codeChallenge: string;
  readonly scopes: readonly Scope[];
  readonly resource: string | null;
}

/** `value` returns a parameter, or `null` if it was not sent. */
export function readAuthorizationRequest(
  value: (name: string) => string | null,
  resources: readonly string[],
): AuthorizationParameters | OauthRefusal {
  if ((value('state') ?? '').length > STATE_LENGTH_MAX)
    return { error: 'invalid_request', errorDescription: `state must have at most ${STATE_LENGTH_MAX} characters` };
  // PostgreSQL would reject NUL and change lone surrogates, but the returned state must equal the one sent.
  if (!isStorable(value('state') ?? ''))
    return { error: 'invalid_request', errorDescription: 'state contains characters that are not allowed' };
  const responseType = value('response_type');
  if (responseType === null) return { error: 'invalid_request', errorDescription: 'response_type is missing' };
  if (responseType !== 'code')
    return { error: 'unsupported_response_type', errorDescription: 'response_type must be code' };
  const codeChallenge = value('code_challenge');
  if (codeChallenge === null)
    return { error: 'invalid_request', errorDescription: 'code_challenge is missing: PKCE is required' };
  if (value('code_challenge_method') !== 'S256')
    return { error: 'invalid_request', errorDescription: 'code_challenge_method must be S256' };
  if (!CHALLENGE.test(codeChallenge))
    return { error: 'invalid_request', errorDescription: 'code_challenge is not a SHA-256 in base64url' };
  const scopes = requestedScopes(value('scope'));
  if (scopes === null)
    return { error: 'invalid_scope', errorDescription: `scope can contain only ${QUERY_SCOPES.join(', ')}` };
  const resource = value('resource');
  if (resource !== null && !isOurResource(resource, resources))
    return { error: 'invalid_target', errorDescription: 'resource must be the address of this service' };
  return { codeChallenge, scopes, resource };
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** A request without scopes asks for all read scopes. OAuth clients never get write scopes. */
function requestedScopes(scope: string | null): readonly Scope[] | null {
  const named = (scope ?? '').split(' ').filter((name) => name !== '');
  if (named.length === 0) return QUERY_SCOPES;
  if (named.some((name) => !(QUERY_SCOPES as readonly string[]).includes(name))) return null;
  return QUERY_SCOPES.filter((name) => named.includes(name));
}
