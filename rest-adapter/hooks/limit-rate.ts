/**
 * Charges a request to a bucket of its key: all reads share one, and both ingestion endpoints share another (decision
 * 9, D56).
 */
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { recordRefusal } from '#platform/metrics.ts';
import type { RateLimiter, RateLimitState } from '#platform/rate-limits/rate-limit.ts';
import { rateLimitHeaders } from '#platform/rate-limits/rate-limit-headers.ts';
import { KnownError } from '#kernel/errors.ts';

/** Runs after `authenticate`. Fails with `RATE_LIMIT_EXCEEDED` if the bucket is exhausted; headers show its state. */
export function limitRate(
  limiter: RateLimiter,
): (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void {
  return (request, reply, done) => {
    const judge = (state: RateLimitState): void => {
      reply.headers(rateLimitHeaders(state));
      if (state.allowed) return done();
      recordRefusal('rate_limit');
      const message = `Rate limit exceeded: ${state.limit} requests in ${state.windowSeconds} seconds`;
      done(new KnownError('RATE_LIMIT_EXCEEDED', message));
    };
    const state = limiter.take(request.principal.credentialId ?? '');
    if (state instanceof Promise) state.then(judge, done);
    else judge(state);
  };
}
