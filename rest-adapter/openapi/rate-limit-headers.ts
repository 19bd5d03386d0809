/** The headers of the contract's limits, described. */
import { integer, type JsonSchema, text } from '../json-schema.ts';

export const RATE_LIMIT_HEADERS: Readonly<Record<string, JsonSchema>> = {
  'RateLimit-Limit': { description: 'Requests allowed in the current window.', schema: integer('') },
  'RateLimit-Remaining': { description: 'Requests left in the window.', schema: integer('') },
  'RateLimit-Reset': { description: 'Seconds until the window resets.', schema: integer('') },
  'RateLimit-Policy': { description: '`limit;w=seconds`.', schema: text('', { examples: ['100;w=900'] }) },
  'Retry-After': { description: 'Seconds to wait.', schema: integer('') },
};
