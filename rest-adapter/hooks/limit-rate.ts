/** One bucket a key for all reads together, one for both ingestion endpoints (decision 9, D56). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { recordRefusal } from '../../platform/metrics.ts';
import type { RateLimiter } from '../../platform/rate-limits/rate-limit.ts';
import { rateLimitHeaders } from '../../platform/rate-limits/rate-limit-headers.ts';
import { fail } from '../../schema/errors.ts';

export function limitRate(limiter: RateLimiter): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async (request, reply) => {
    const state = await limiter.take(request.principal.credentialId ?? '');
    reply.headers(rateLimitHeaders(state));
    if (state.allowed) return;
    recordRefusal('rate_limit');
    fail('RATE_LIMIT_EXCEEDED', `Rate limit exceeded: ${state.limit} requests in ${state.windowSeconds} seconds`);
  };
}
