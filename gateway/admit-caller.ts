/**
 * Identifies the caller of `/graphql` before the body is read: its maximum body size, and the limits it is charged
 * against.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import type { Credential, GatewayClient } from '#platform/gateway-client.ts';
import { recordRefusal } from '#platform/metrics.ts';
import { networkOf } from '#platform/network-of.ts';
import type { KeyRing } from '#platform/key-ring.ts';
import { anonymous, type Principal, readerPrincipal, servicePrincipal } from '#platform/principal.ts';
import { serviceOfToken } from '#platform/transports/service-token.ts';
import { GATEWAY, publicKeysOf, verifyPrincipal } from '#platform/transports/signed-principal.ts';
import { bearerTokenOf } from '#kernel/bearer-token.ts';
import { isUuid } from '#kernel/uuid.ts';
import type { RateLimiter } from '#platform/rate-limits/rate-limit.ts';
import { rateLimitHeaders } from '#platform/rate-limits/rate-limit-headers.ts';
import type { RateLimiters } from '#platform/rate-limits/rate-limiters.ts';
import { fail } from '#kernel/errors.ts';
import { sessionTokenOf } from '#schema/session-cookie.ts';

const ANONYMOUS_BODY_BYTES_MAX = 64 * 1024;
const BODY_BYTES_MAX = 1024 * 1024;
/** 4 MiB of usage events, the limit of `/v1` (decision 9, D6), plus the document around them; or a price catalogue. */
const BULK_BODY_BYTES_MAX = (4 * 1024 + 64) * 1024;

/** Charges a bucket. Fails with `RATE_LIMIT_EXCEEDED` if it is exhausted; the headers show its state. */
type Spend = (count: number) => Promise<void>;

export interface Caller {
  readonly principal: Principal;
  readonly bodyBytesMax: number;
  /** The API key as sent, which signs ingestion; `null` for all other callers. Never logged. */
  readonly apiKey: string | null;
  /** The bucket charged for this request on admission. */
  readonly paid: 'request' | 'ingestion';
  readonly spendRequests: Spend;
  readonly spendIngestions: Spend;
}

export interface AdmitOptions {
  readonly client: GatewayClient;
  readonly signing: KeyRing;
  /** Grants of joined subgraphs as clients of the graph, by name. */
  readonly subgraphGrants: Readonly<Record<string, readonly string[]>>;
  readonly limiters: Pick<RateLimiters, 'read' | 'ingest' | 'anonymous'>;
  /** True with https: the session cookies then have their https names. */
  readonly hasSecureCookies: boolean;
}

/** Fails with `UNAUTHORIZED`, `NOT_FOUND` (for an organization) or `RATE_LIMIT_EXCEEDED`. */
export async function admitCaller(
  request: FastifyRequest,
  reply: FastifyReply,
  correlationId: string,
  options: AdmitOptions,
): Promise<Caller> {
  const { client, limiters, hasSecureCookies } = options;
  const credential = presentedCredential(request.headers, hasSecureCookies);
  const principal =
    credential === null
      ? anonymous(correlationId)
      : (joinedSubgraph(credential, correlationId, options) ?? (await client.authenticate(credential, correlationId)));
  if (principal === null || principal.kind === 'anonymous') {
    const spend = spendFrom(limiters.anonymous, networkOf(request.ip), reply);
    await spend(1);
    if (principal === null) fail('UNAUTHORIZED', 'The credential is invalid, revoked or expired');
    return {
      principal,
      bodyBytesMax: ANONYMOUS_BODY_BYTES_MAX,
      apiKey: null,
      paid: 'request',
      spendRequests: spend,
      spendIngestions: spend,
    };
  }
  // If an operator names an organization, a typo must never turn into a request for all organizations.
  const organization = request.headers['x-organization-id'];
  if (principal.kind === 'operator' && principal.organizationId === null && organization !== undefined) {
    fail('NOT_FOUND', `Organization ${String(organization)} not found`);
  }
  if (principal.kind !== 'api-key') {
    const bodyBytesMax = principal.kind === 'operator' ? BULK_BODY_BYTES_MAX : BODY_BYTES_MAX;
    return {
      principal,
      bodyBytesMax,
      apiKey: null,
      paid: 'request',
      spendRequests: unlimited,
      spendIngestions: unlimited,
    };
  }
  const bucket = principal.credentialId ?? '';
  const spendRequests = spendFrom(limiters.read, bucket, reply);
  const spendIngestions = spendFrom(limiters.ingest, bucket, reply);
  // A signed request is charged as ingestion: unsigned ingestion is refused later.
  const ingests = principal.grants.includes('usage:write') && request.headers['x-signature'] !== undefined;
  await (ingests ? spendIngestions : spendRequests)(1);
  return {
    principal,
    bodyBytesMax: ingests ? BULK_BODY_BYTES_MAX : BODY_BYTES_MAX,
    apiKey: credential?.token ?? null,
    paid: ingests ? 'ingestion' : 'request',
    spendRequests,
    spendIngestions,
  };
}

/**
 * A joined subgraph, identified by its token. It reads with its grants, in the organization that it names. `null` for
 * other credentials.
 */
function joinedSubgraph(
  credential: Credential,
  correlationId: string,
  { signing, subgraphGrants }: AdmitOptions,
): Principal | null {
  if (credential.kind !== 'bearer') return null;
  const name = serviceOfToken(credential.token, signing);
  const grants = name === null ? undefined : subgraphGrants[name];
  if (name === null || grants === undefined) return null;
  return readerPrincipal(name, credential.organizationId, grants, correlationId);
}

export interface InternalOptions {
  readonly signing: KeyRing;
  /** Subgraphs of this repository. They may query the gateway with a principal that they received for a caller. */
  readonly ownSubgraphs: readonly string[];
}

/**
 * Principal of another process of this service; `null` for requests from outside. Fails with `UNAUTHORIZED` for an
 * invalid signature.
 */
export async function internalPrincipal(request: FastifyRequest, options: InternalOptions): Promise<Principal | null> {
  const own = ownService(request, options);
  if (own !== null) {
    // With an organization, the subgraph only reads and is admitted like a joined subgraph.
    if (request.headers['x-organization-id'] !== undefined) return null;
    return servicePrincipal(own, request.correlationId);
  }
  const signed = request.headers['x-principal'];
  if (signed === undefined) return null;
  const { signing, ownSubgraphs } = options;
  const principal = await verifyPrincipal(String(signed), [GATEWAY, ...ownSubgraphs], publicKeysOf(signing));
  return principal ?? fail('UNAUTHORIZED', 'The signature of the principal is not valid');
}

/** Name of the subgraph of this repository whose token is presented. */
function ownService({ headers }: FastifyRequest, { signing, ownSubgraphs }: InternalOptions): string | null {
  const token = bearerTokenOf(headers);
  const name = token === undefined ? null : serviceOfToken(token, signing);
  return name !== null && ownSubgraphs.includes(name) ? name : null;
}

async function unlimited(): Promise<void> {}

function spendFrom(limiter: RateLimiter, bucket: string, reply: FastifyReply): Spend {
  return async (count) => {
    const state = await limiter.take(bucket, count);
    reply.headers(rateLimitHeaders(state));
    if (state.allowed) return;
    recordRefusal('rate_limit');
    fail('RATE_LIMIT_EXCEEDED', `Rate limit exceeded: ${state.limit} requests in ${state.windowSeconds} seconds`);
  };
}

/**
 * Credential of a request to `/graphql`: a bearer token, or a session cookie along with a header that no form can
 * send.
 */
function presentedCredential(headers: IncomingHttpHeaders, hasSecureCookies: boolean): Credential | null {
  const bearer = bearerTokenOf(headers);
  if (bearer !== undefined) {
    const named = headers['x-organization-id'];
    return {
      kind: 'bearer',
      token: bearer,
      organizationId: typeof named === 'string' && isUuid(named) ? named.toLowerCase() : null,
    };
  }
  const token = sessionTokenOf(headers.cookie, hasSecureCookies);
  // A page of another origin can make a browser send the cookie, but not this header. An opaque origin is never ours.
  return token === null || headers.origin === 'null' || headers['x-requested-with'] === undefined
    ? null
    : { kind: 'session', token };
}
