/** One bucket a key: the five headers of the contract on every limited answer (decisions.md D56). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../../schema/errors.ts';
import type { RateLimiter, RateLimitState } from '../../platform/rate-limit.ts';

export function limitRate(limiter: RateLimiter): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async (request, reply) => {
    const state = await limiter.take(request.principal.credentialId ?? 'anonymous');
    reply.headers(rateLimitHeaders(state));
    if (!state.allowed) fail('RATE_LIMIT_EXCEEDED', `Rate limit exceeded: ${state.limit} requests in ${state.windowSeconds} seconds`);
  };
}

export function rateLimitHeaders(state: RateLimitState): Record<string, string> {
  return {
    'RateLimit-Limit': String(state.limit),
    'RateLimit-Remaining': String(state.remaining),
    'RateLimit-Reset': String(state.resetSeconds),
    'RateLimit-Policy': `${state.limit};w=${state.windowSeconds}`,
    ...(state.allowed ? {} : { 'Retry-After': String(state.resetSeconds) }),
  };
}
