/**
 * The authenticated caller. Created by identity for the gateway and read by every subgraph; never taken from a request
 * body.
 */
import type { AccountUserId, OrganizationId } from '#kernel/ids.ts';
import { SERVICE_GRANTS } from '#schema/subgraph-names.ts';

export interface Principal {
  readonly kind: 'anonymous' | 'api-key' | 'session' | 'operator' | 'service';
  /** The tenant of every query. `null` only for anonymous callers, services and operators without an organization. */
  readonly organizationId: OrganizationId | null;
  readonly accountUserId: AccountUserId | null;
  /** The API key or the session. */
  readonly credentialId: string | null;
  readonly credentialName: string | null;
  /** Display name of the session's organization. */
  readonly organizationName?: string;
  /** First month of the fiscal year of the session's organization, unless that is January. */
  readonly fiscalYearStart?: number;
  /** If `organizationId` contains sample data, the organization it belongs to (decision 58). */
  readonly sampleOf?: string;
  /**
   * Environment of an API key. Events of a `test` key are stored with `livemode: false`; its reads see live data only
   * (decision 9, D57).
   */
  readonly environment: 'live' | 'test' | null;
  /** ISO 8601 UTC, or `null` for a credential that does not expire. */
  readonly expiresAt: string | null;
  /**
   * The caller's grants: scopes, a session's role (`owner`, `admin`, `member`, `finance`, `viewer`), `operator`,
   * `enrollment`, `deletion`, `sample`; for a service, {@link SERVICE_GRANTS}.
   */
  readonly grants: readonly string[];
  readonly correlationId: string;
  /** When the gateway started the operation, ISO 8601 UTC; all its subgraphs use this as now. */
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

/** A subgraph that reads as a client, on behalf of one organization or none. */
export function readerPrincipal(
  name: string,
  organizationId: OrganizationId | null,
  grants: readonly string[],
  correlationId: string,
): Principal {
  return Object.freeze({
    ...servicePrincipal(name, correlationId),
    organizationId,
    grants: Object.freeze([...grants]),
  });
}

/**
 * One of our own processes, such as the consumer of the feed. `name` is a key of {@link SERVICE_GRANTS}; other names
 * have no grants.
 */
export function servicePrincipal(name: string, correlationId: string): Principal {
  return Object.freeze({
    ...anonymous(correlationId),
    kind: 'service',
    credentialName: name,
    grants: SERVICE_GRANTS[name] ?? [],
  });
}

/** The principal for a joined subgraph: tenant and grants, without the name of the person or key. */
export function withoutNames(principal: Principal): Principal {
  const { organizationName: _, ...rest } = principal;
  return Object.freeze({ ...rest, credentialName: null });
}
