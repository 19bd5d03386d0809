/** The headers that tell a client the state of its bucket (contract.md, "Limits"; decision 9, D56). */
import type { RateLimitState } from './rate-limit.ts';

export function rateLimitHeaders(state: RateLimitState): Record<string, string> {
  return {
    'RateLimit-Limit': String(state.limit),
    'RateLimit-Remaining': String(state.remaining),
    'RateLimit-Reset': String(state.resetSeconds),
    'RateLimit-Policy': `${state.limit};w=${state.windowSeconds}`,
    ...(state.allowed ? {} : { 'Retry-After': String(state.resetSeconds) }),
  };
}
