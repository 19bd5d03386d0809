/**
 * What stands at every door for usage besides `/v1`: a key that may write, a signature as on `/v1` or the key's permission to write
 * unsigned, a limit that counts events, and bodies that are bounded before and after they are unpacked.
 */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { now } from '../../platform/clock.ts';
import type { GatewayClient } from '../../platform/gateway-client.ts';
import { recordRefusal } from '../../platform/metrics.ts';
import type { RateLimiter } from '../../platform/rate-limits/rate-limit.ts';
import { rateLimitHeaders } from '../../platform/rate-limits/rate-limit-headers.ts';
import { verifySignature } from '../../platform/verify-signature.ts';
import { fail } from '../../schema/errors.ts';
import { WRITE_UNSIGNED } from '../../schema/scopes.ts';
import { authenticate } from './authenticate.ts';
import type { BodyHooks, BodyLimits } from './limit-bodies.ts';
import { requireScope } from './require-scope.ts';

export interface EventDoor {
  readonly options: RouteShorthandOptions;
  /** Counts events against the key's bucket once it is known how many there were. */
  spend(request: FastifyRequest, reply: FastifyReply, events: number): Promise<void>;
}

export interface EventDoorOptions {
  readonly gateway: GatewayClient;
  /** Counts events, not requests. */
  readonly eventLimiter: RateLimiter;
  readonly bodies: BodyHooks;
  readonly contentTypes: readonly string[];
}

/** As sent, and unpacked. */
const PACKED_BYTES_MAX = 4 * 1024 * 1024;
const BODY_BYTES_MAX = 16 * 1024 * 1024;

/** One of the largest bodies of an organization at a time; spans come with what people wrote, which is dropped only here. */
export const DOOR_LIMITS: BodyLimits = {
  bodyMax: PACKED_BYTES_MAX,
  organizationMax: BODY_BYTES_MAX,
  totalMax: 4 * BODY_BYTES_MAX,
  ordinaryMax: 1024 * 1024,
  bytesASecond: 4 * 1024 * 1024,
};

const unpack = promisify(gunzip);
const NO_BODY = Buffer.alloc(0);

/** Bodies as they were sent: what a signature is made over. */
const sent = new WeakMap<FastifyRequest, Buffer>();

/** Opens the door in a plugin of its own: its parsers are no one else's. `request.body` is the unpacked body. */
export function openEventDoor(
  plugin: FastifyInstance,
  { gateway, eventLimiter, bodies, contentTypes }: EventDoorOptions,
): EventDoor {
  plugin.removeAllContentTypeParsers();
  plugin.addContentTypeParser(
    [...contentTypes],
    { parseAs: 'buffer', bodyLimit: PACKED_BYTES_MAX },
    async (request: FastifyRequest, body: Buffer) => {
      sent.set(request, body);
      return unpacked(body, request.headers['content-encoding'], BODY_BYTES_MAX);
    },
  );
  return {
    options: {
      bodyLimit: PACKED_BYTES_MAX,
      onRequest: [
        authenticate(gateway),
        requireScope('usage:write'),
        async (request, reply) => {
          if (request.headers['x-signature'] === undefined && !mayWriteUnsigned(request))
            fail('FORBIDDEN', 'This key may not write unsigned: sign the body as on /v1, or use a key that may');
          // What this request will hold is not known yet: it is let in while the bucket has room for one.
          const state = await eventLimiter.take(request.principal.credentialId ?? '', 0);
          reply.headers(rateLimitHeaders({ ...state, allowed: state.remaining > 0 }));
          if (state.remaining === 0) limited(state);
        },
        bodies.announced,
      ],
      preHandler: [
        bodies.received,
        async (request) => {
          if (mayWriteUnsigned(request)) return;
          const failure = verifySignature({
            timestamp: request.headers['x-timestamp'],
            signature: request.headers['x-signature'],
            rawBody: sent.get(request) ?? NO_BODY,
            apiKey: request.apiKey,
            nowSeconds: now().getTime() / 1000,
          });
          if (failure !== null) fail('UNAUTHORIZED', failure);
        },
      ],
    },
    async spend(request, reply, events) {
      const state = await eventLimiter.take(request.principal.credentialId ?? '', Math.max(events, 1));
      reply.headers(rateLimitHeaders({ ...state, allowed: true }));
    },
  };
}

/** The body of a request at such a door, unpacked. */
export function bodyOf(request: FastifyRequest): Buffer {
  return (request.body as Buffer | undefined) ?? NO_BODY;
}

function mayWriteUnsigned({ principal }: FastifyRequest): boolean {
  return principal.grants.includes(WRITE_UNSIGNED);
}

function limited({ limit, windowSeconds }: { readonly limit: number; readonly windowSeconds: number }): never {
  recordRefusal('rate_limit');
  return fail('RATE_LIMIT_EXCEEDED', `Rate limit exceeded: ${limit} events in ${windowSeconds} seconds`);
}

async function unpacked(body: Buffer, encoding: string | undefined, bytesMax: number): Promise<Buffer> {
  if (encoding === undefined || encoding === 'identity') {
    return body.length > bytesMax ? tooLarge(bytesMax) : body;
  }
  if (encoding !== 'gzip') fail('UNSUPPORTED_MEDIA_TYPE', 'Content-Encoding must be gzip, or not be there');
  try {
    return await unpack(body, { maxOutputLength: bytesMax });
  } catch (error) {
    return (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE'
      ? tooLarge(bytesMax)
      : fail('VALIDATION_ERROR', 'The body is not valid gzip');
  }
}

function tooLarge(bytesMax: number): never {
  return fail('PAYLOAD_TOO_LARGE', `The body is larger than ${bytesMax / (1024 * 1024)} MiB`);
}
