/** The header by which a sender states whether the input counts of its request include cached tokens (decision 79). */
import type { FastifyRequest } from 'fastify';
import { fail } from '../../schema/errors.ts';

export const CACHED_TOKENS_HEADER = 'X-Cached-Tokens';

/** Null: the request does not state it. Fails with `VALIDATION_ERROR`. */
export function readCachedTokens({ headers }: FastifyRequest): 'INCLUDED' | 'EXCLUDED' | null {
  const stated = headers['x-cached-tokens'];
  if (stated === undefined) return null;
  if (stated === 'included') return 'INCLUDED';
  if (stated === 'excluded') return 'EXCLUDED';
  return fail('VALIDATION_ERROR', `${CACHED_TOKENS_HEADER} must be included or excluded`);
}
