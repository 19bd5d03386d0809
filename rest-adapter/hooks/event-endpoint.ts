/**
 * Common requirements of usage endpoints outside `/v1`: a key with write access, and a signature as on `/v1` or the
 * key's permission to write unsigned. Requests and new events are counted against the key's limits, and the body is
 * limited both as sent and as unpacked.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { now } from '#platform/clock.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import { recordRefusal } from '#platform/metrics.ts';
import type { RateLimiter, RateLimitState } from '#platform/rate-limits/rate-limit.ts';
import { rateLimitHeaders } from '#platform/rate-limits/rate-limit-headers.ts';
import { parseBodies } from '#platform/request-body/parse-bodies.ts';
import { type BodyRules, unpackBody, unpackedBytes } from '#platform/request-body/read-body.ts';
import { verifySignature } from '#platform/verify-signature.ts';
import { fail, KnownError } from '#kernel/errors.ts';
import { WRITE_UNSIGNED } from '#schema/scopes.ts';
import { authenticate } from './authenticate.ts';
import type { BodyHooks, BodyLimits } from './limit-bodies.ts';
import { requireScope } from './require-scope.ts';

export interface EventEndpoint {
  readonly options: RouteShorthandOptions;
  /**
   * Runs `ingest` and refunds records that were not new events: duplicates and records that report no call. Refunds
   * all but the stored events if it fails.
   */
  counted<Result extends Counted>(
    request: FastifyRequest,
    reply: FastifyReply,
    ingest: (reservation: Reservation) => Promise<Result>,
  ): Promise<Result>;
}

/**
 * Reserves part of the rate limit for a body's records before they are read, in addition to what is already reserved.
 * If too little is left, reserves all of it.
 */
export type Reserve = (records: number) => Promise<void>;

interface Reservation {
  readonly reserve: Reserve;
  /** The number of events that are reserved. Storing more new events fails, with their number as `newEvents` in the details. */
  readonly newEventsMax: () => number;
  /** Called with the number of new events when they are stored while the rest is still being processed. */
  readonly stored: (events: number) => void;
}

interface Counted {
  /** New events, booked or rejected. */
  readonly events: number;
}

export interface EventLimits {
  /** Counts new events. */
  readonly events: RateLimiter;
  /** Counts requests, regardless of their content and outcome. A large body counts as several. */
  readonly bodies: RateLimiter;
}

export interface EventEndpointOptions {
  readonly gateway: GatewayClient;
  readonly limits: EventLimits;
  readonly bodies: BodyHooks;
  readonly contentTypes: readonly string[];
}

const BODY: BodyRules & { readonly unpackedBytesMax: number } = {
  bytesMax: 4 * 1024 * 1024,
  unpackedBytesMax: 16 * 1024 * 1024,
};

/**
 * Spans contain text written by people, which is dropped only here. So an organization may have one body of the
 * maximum size in progress at a time.
 */
export const EVENT_BODY_LIMITS: BodyLimits = {
  bodyMax: BODY.bytesMax,
  organizationMax: BODY.unpackedBytesMax,
  totalMax: 4 * BODY.unpackedBytesMax,
  ordinaryMax: 1024 * 1024,
  bytesASecond: 4 * 1024 * 1024,
};

/** An unpacked body counts as one request per piece of this size. */
const BYTES_A_REQUEST = 64 * 1024;

const NO_BODY = Buffer.alloc(0);

/** State of a request until its response. */
interface Charge {
  readonly reply: FastifyReply;
  /** Reserved events. */
  taken: number;
  /** Events that are charged even if the rest fails. */
  stored: number;
  state: RateLimitState;
}

const charges = new WeakMap<FastifyRequest, Charge>();

/** Opens the endpoint in a plugin with no other endpoint. `request.body` is the unpacked body. */
export function openEventEndpoint(
  plugin: FastifyInstance,
  { gateway, limits, bodies, contentTypes }: EventEndpointOptions,
): EventEndpoint {
  const bucketOf = ({ principal }: FastifyRequest): string => principal.credentialId ?? '';
  /** Returns false, and takes nothing, if the limit does not allow all of them. */
  const take = async (request: FastifyRequest, events: number): Promise<boolean> => {
    const charge = chargeOf(request);
    const state = await limits.events.take(bucketOf(request), events);
    if (state.allowed) charge.taken += events;
    charge.state = state.allowed ? state : await limits.events.giveBack(bucketOf(request), events, state);
    return state.allowed;
  };
  const reserve = async (request: FastifyRequest, reply: FastifyReply, records: number): Promise<void> => {
    const charge = chargeOf(request);
    if (!(await take(request, records))) await take(request, charge.state.remaining);
    reply.headers(rateLimitHeaders({ ...charge.state, allowed: true }));
  };
  const settle = async (request: FastifyRequest, reply: FastifyReply, events: number): Promise<void> => {
    const charge = chargeOf(request);
    const unused = charge.taken - events;
    if (unused <= 0) return;
    charge.state = await limits.events.giveBack(bucketOf(request), unused, charge.state);
    charge.taken -= unused;
    reply.headers(rateLimitHeaders({ ...charge.state, allowed: true }));
  };

  const countRequests = async (request: FastifyRequest, reply: FastifyReply, requests: number): Promise<void> => {
    if (requests === 0) return;
    const state = await limits.bodies.take(bucketOf(request), requests);
    if (state.allowed) return;
    reply.headers(rateLimitHeaders(state));
    limited(state, 'requests of 64 KiB');
  };

  /** Everything that can refuse the body is done before it is unpacked. */
  const decode = async (sent: Buffer, request: FastifyRequest): Promise<Buffer> => {
    const charge = charges.get(request);
    // Requests to unknown paths have no charge.
    if (!charge) return sent;
    verifySent(sent, request);
    const bytes = Math.min(unpackedBytes(sent, request.headers), BODY.unpackedBytesMax);
    bodies.reserve(request, charge.reply, bytes);
    await countRequests(request, charge.reply, Math.max(Math.ceil(bytes / BYTES_A_REQUEST) - 1, 0));
    return unpackBody(sent, request.headers, BODY);
  };

  parseBodies(plugin, [...contentTypes], () => BODY, decode);
  return {
    options: {
      onRequest: [
        authenticate(gateway),
        requireScope('usage:write'),
        async (request, reply) => {
          if (request.headers['x-signature'] === undefined && !mayWriteUnsigned(request))
            fail(
              'FORBIDDEN',
              'This key is not allowed to write unsigned: sign the body as on /v1, or use a key that is allowed to',
            );
          await countRequests(request, reply, 1);
          const state = await limits.events.take(bucketOf(request), 0);
          reply.headers(rateLimitHeaders({ ...state, allowed: true }));
          charges.set(request, { reply, taken: 0, stored: 0, state });
        },
        bodies.announced,
      ],
      // A request without a body is not decoded.
      preHandler: async (request) => {
        if (request.body === undefined) verifySent(NO_BODY, request);
      },
    },
    async counted(request, reply, ingest) {
      try {
        const result = await ingest({
          reserve: (records) => reserve(request, reply, records),
          newEventsMax: () => chargeOf(request).taken,
          stored: (events) => {
            chargeOf(request).stored = events;
          },
        });
        await settle(request, reply, result.events);
        return result;
      } catch (error) {
        await settle(request, reply, chargeOf(request).stored);
        if (!(error instanceof KnownError) || error.details['newEvents'] === undefined) throw error;
        const { state } = chargeOf(request);
        reply.headers(rateLimitHeaders({ ...state, allowed: false }));
        return limited(state, 'events');
      }
    },
  };
}

/** The unpacked body of a request to such an endpoint. */
export function bodyOf(request: FastifyRequest): Buffer {
  return (request.body as Buffer | undefined) ?? NO_BODY;
}

function chargeOf(request: FastifyRequest): Charge {
  const charge = charges.get(request);
  if (!charge) throw new Error('A request was not charged on arrival');
  return charge;
}

/** The signature covers the body as sent. */
function verifySent(rawBody: Buffer, request: FastifyRequest): void {
  if (mayWriteUnsigned(request)) return;
  const { headers, apiKey } = request;
  const failure = verifySignature({
    timestamp: headers['x-timestamp'],
    signature: headers['x-signature'],
    rawBody,
    apiKey,
    nowSeconds: now().getTime() / 1000,
  });
  if (failure !== null) fail('UNAUTHORIZED', failure);
}

function mayWriteUnsigned({ principal }: FastifyRequest): boolean {
  return principal.grants.includes(WRITE_UNSIGNED);
}

function limited({ limit, windowSeconds }: RateLimitState, what: string): never {
  recordRefusal('rate_limit');
  return fail('RATE_LIMIT_EXCEEDED', `Rate limit exceeded: ${limit} ${what} in ${windowSeconds} seconds`);
}
