/** The header with which a sender states whether its input counts include cached tokens (decision 79). */
import type { FastifyRequest } from 'fastify';
import { fail } from '#kernel/errors.ts';

export const CACHED_TOKENS_HEADER = 'X-Cached-Tokens';

/** Null if the header is missing. Fails with `VALIDATION_ERROR`. */
export function readCachedTokens({ headers }: FastifyRequest): 'INCLUDED' | 'EXCLUDED' | null {
  const stated = headers['x-cached-tokens'];
  if (stated === undefined) return null;
  if (stated === 'included') return 'INCLUDED';
  if (stated === 'excluded') return 'EXCLUDED';
  return fail('VALIDATION_ERROR', `${CACHED_TOKENS_HEADER} must be included or excluded`);
}
