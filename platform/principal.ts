/** Who is asking. Made by identity for the gateway, read by every subgraph, never taken from a request's body. */
import { SERVICE_GRANTS } from '../schema/subgraph-names.ts';

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
  /** Where `organizationId` holds sample data: the organization that it was made for, to which a session belongs (decision 58). */
  readonly sampleOf?: string;
  /**
   * Of an API key. Events of a `test` key are stored with `livemode: false`; it reads live data alone
   * (decision 9, D57).
   */
  readonly environment: 'live' | 'test' | null;
  /** ISO 8601 UTC, or `null` for a credential that does not expire. */
  readonly expiresAt: string | null;
  /** What the caller may do: scopes of the contract, a session's role (`owner`, `admin`, `member`), `operator`, `enrollment`, `deletion`, `sample`; of a service {@link SERVICE_GRANTS}. */
  readonly grants: readonly string[];
  readonly correlationId: string;
  /** When the gateway began the operation, ISO 8601 UTC: what every subgraph of it means by now. */
  readonly requestedAt?: string;
}

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

/** A subgraph that reads as a client does, in the name of one organization or of none. */
export function readerPrincipal(
  name: string,
  organizationId: string | null,
  grants: readonly string[],
  correlationId: string,
): Principal {
  return Object.freeze({
    ...servicePrincipal(name, correlationId),
    organizationId,
    grants: Object.freeze([...grants]),
  });
}

/** One of our own processes, such as the follower of the priced feed. `name`: of {@link SERVICE_GRANTS}; any other holds no grant. */
export function servicePrincipal(name: string, correlationId: string): Principal {
  return Object.freeze({
    ...anonymous(correlationId),
    kind: 'service',
    credentialName: name,
    grants: SERVICE_GRANTS[name] ?? [],
  });
}

/** For a subgraph of somebody else: what it needs to answer and to keep apart, and nothing that names the person or the key. */
export function withoutNames(principal: Principal): Principal {
  const { organizationName: _, ...rest } = principal;
  return Object.freeze({ ...rest, credentialName: null });
}
