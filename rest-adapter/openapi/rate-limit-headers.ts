/** OpenAPI description of the contract's rate limit headers. */
import type { JsonSchema } from '../json-schema.ts';

const NUMBER = { type: 'integer' };

export const RATE_LIMIT_HEADERS: Readonly<Record<string, JsonSchema>> = {
  'RateLimit-Limit': { description: 'Requests allowed in the current window.', schema: NUMBER },
  'RateLimit-Remaining': { description: 'Requests left in the window.', schema: NUMBER },
  'RateLimit-Reset': { description: 'Seconds until the window resets.', schema: NUMBER },
  'RateLimit-Policy': { description: '`limit;w=seconds`.', schema: { type: 'string', examples: ['100;w=900'] } },
  'Retry-After': { description: 'Seconds to wait.', schema: NUMBER },
};
