/** Who is asking. Made by identity for the gateway, read by every subgraph, never taken from a request's body. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { now } from './clock.ts';

export interface Principal {
  readonly kind: 'anonymous' | 'api-key' | 'session' | 'operator' | 'service';
  /** The tenant that every query is bound to. `null` only for anonymous callers, services and operators without an organization. */
  readonly organizationId: string | null;
  readonly accountUserId: string | null;
  /** The API key or the session. */
  readonly credentialId: string | null;
  readonly credentialName: string | null;
  /** Of an API key; events of a `test` key are stored with `livemode: false`. */
  readonly environment: 'live' | 'test' | null;
  /** ISO 8601 UTC, or `null` for a credential that does not expire. */
  readonly expiresAt: string | null;
  /** What the caller may do: scopes of the contract, a session's role (`owner`, `admin`, `member`), `operator`, `service`. */
  readonly grants: readonly string[];
  readonly correlationId: string;
}

const SEAL_SECONDS = 30;

export function anonymous(correlationId: string): Principal {
  return Object.freeze({
    kind: 'anonymous', organizationId: null, accountUserId: null, credentialId: null, credentialName: null,
    environment: null, expiresAt: null, grants: Object.freeze([]), correlationId,
  });
}

/** One of our own processes, such as the follower of the priced feed. Holds the grant `service` alone. */
export function servicePrincipal(name: string, correlationId: string): Principal {
  return Object.freeze({ ...anonymous(correlationId), kind: 'service', credentialName: name, grants: Object.freeze(['service']) });
}

/** Packs a principal for another process of ours: base64url JSON, a dot, its HMAC-SHA256. Good for 30 seconds. */
export function sealPrincipal(principal: Principal, serviceSecret: string): string {
  const body = Buffer.from(JSON.stringify({ principal, expires: now().getTime() + SEAL_SECONDS * 1000 })).toString('base64url');
  return `${body}.${signature(body, serviceSecret)}`;
}

/** The principal of a seal, or `null` when it was not made with this secret or is too old. */
export function openPrincipal(seal: string, serviceSecret: string): Principal | null {
  const [body, given] = seal.split('.');
  if (!body || !given) return null;
  const expected = Buffer.from(signature(body, serviceSecret));
  const presented = Buffer.from(given);
  if (expected.length !== presented.length || !timingSafeEqual(expected, presented)) return null;
  const { principal, expires } = JSON.parse(Buffer.from(body, 'base64url').toString()) as { principal: Principal; expires: number };
  return expires >= now().getTime() ? Object.freeze(principal) : null;
}

function signature(body: string, serviceSecret: string): string {
  return createHmac('sha256', serviceSecret).update('principal.').update(body).digest('base64url');
}
