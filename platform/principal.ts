/** Who is asking. Made by identity for the gateway, read by every subgraph, never taken from a request's body. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { now } from './clock.ts';
import type { KeyRing, RingKey } from './key-ring.ts';

export interface Principal {
  readonly kind: 'anonymous' | 'api-key' | 'session' | 'operator' | 'service';
  /** The tenant that every query is bound to. `null` only for anonymous callers, services and operators without an organization. */
  readonly organizationId: string | null;
  readonly accountUserId: string | null;
  /** The API key or the session. */
  readonly credentialId: string | null;
  readonly credentialName: string | null;
  /** Of a session: what people call its organization. */
  readonly organizationName?: string;
  /**
   * Of an API key. Events of a `test` key are stored with `livemode: false`; it reads live data alone
   * (decision 9, D57).
   */
  readonly environment: 'live' | 'test' | null;
  /** ISO 8601 UTC, or `null` for a credential that does not expire. */
  readonly expiresAt: string | null;
  /** What the caller may do: scopes of the contract, a session's role (`owner`, `admin`, `member`), `operator`, `service`, `enrollment`, `deletion`. */
  readonly grants: readonly string[];
  readonly correlationId: string;
  /** When the gateway began the operation, ISO 8601 UTC: what every subgraph of it means by now. */
  readonly requestedAt?: string;
}

const VALID_SECONDS = 30;
const ALGORITHM = 'HS256';
const TYPE = 'principal';

export function anonymous(correlationId: string): Principal {
  return Object.freeze({
    kind: 'anonymous',
    organizationId: null,
    accountUserId: null,
    credentialId: null,
    credentialName: null,
    environment: null,
    expiresAt: null,
    grants: Object.freeze([]),
    correlationId,
  });
}

/** One of our own processes, such as the follower of the priced feed. Holds the grant `service` alone. */
export function servicePrincipal(name: string, correlationId: string): Principal {
  return Object.freeze({
    ...anonymous(correlationId),
    kind: 'service',
    credentialName: name,
    grants: Object.freeze(['service']),
  });
}

/**
 * Signs a principal for another process of this service, good for 30 seconds: a JWS in compact form (RFC 7515), HS256. The header's `kid` names
 * the key, so that processes may be given a new secret one after the other.
 */
export function signPrincipal(principal: Principal, { current }: KeyRing): string {
  const header = encode({ alg: ALGORITHM, typ: TYPE, kid: current.id });
  const body = `${header}.${encode({ principal, expires: now().getTime() + VALID_SECONDS * 1000 })}`;
  return `${body}.${signatureOf(body, current).toString('base64url')}`;
}

/** The principal of a signed text, or `null` when no key of the ring signed it or it is too old. */
export function verifyPrincipal(signed: string, ring: KeyRing): Principal | null {
  const [header, payload, signature, ...more] = signed.split('.');
  if (!header || !payload || !signature || more.length > 0) return null;
  const { alg, typ, kid } = decode<{ alg: unknown; typ: unknown; kid: unknown }>(header) ?? {};
  const key = alg === ALGORITHM && typ === TYPE && typeof kid === 'string' ? ring.find(kid) : null;
  if (!key) return null;
  const expected = signatureOf(`${header}.${payload}`, key);
  const presented = Buffer.from(signature, 'base64url');
  if (expected.length !== presented.length || !timingSafeEqual(expected, presented)) return null;
  const content = decode<{ principal: Principal; expires: number }>(payload);
  return content !== null && content.expires >= now().getTime() ? Object.freeze(content.principal) : null;
}

function signatureOf(body: string, key: RingKey): Buffer {
  return createHmac('sha256', key.derive('principal')).update(body).digest();
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode<Value>(text: string): Value | null {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as Value | null;
  } catch {
    return null;
  }
}
