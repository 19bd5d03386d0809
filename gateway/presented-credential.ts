/** What a request to `/graphql` presents: a bearer token, or a session's cookie together with a header that no form can send. */
import type { IncomingHttpHeaders } from 'node:http';
import { sessionTokenOf } from '../platform/session-cookie.ts';
import type { Credential } from '../platform/gateway-client.ts';

const BEARER = /^Bearer +([^\s]+)$/i;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function presentedCredential(headers: IncomingHttpHeaders, hasSecureCookies: boolean): Credential | null {
  const bearer = BEARER.exec(headers.authorization ?? '')?.[1];
  if (bearer !== undefined) {
    const named = headers['x-organization-id'];
    return { kind: 'bearer', token: bearer, organizationId: typeof named === 'string' && UUID.test(named) ? named.toLowerCase() : null };
  }
  const token = sessionTokenOf(headers.cookie, hasSecureCookies);
  // A page of another origin can make a browser send the cookie, but not this header. An opaque origin is never one of ours.
  return token === null || headers.origin === 'null' || headers['x-requested-with'] === undefined ? null : { kind: 'session', token };
}
