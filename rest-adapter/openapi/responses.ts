/** Responses that operations share: one error response a status, and the headers of limited answers. */
import { type ErrorCode, ERROR_TABLE } from '../../schema/errors.ts';
import type { JsonSchema } from '../json-schema.ts';
import { ERROR_DESCRIPTIONS } from './errors.ts';
import { RATE_LIMIT_HEADERS } from './rate-limit-headers.ts';

export const CORRELATION_HEADER: JsonSchema = { 'X-Correlation-ID': { $ref: '#/components/headers/X-Correlation-ID' } };

const WAITS: readonly ErrorCode[] = ['RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'];

/** One response for each status; every one of them is the envelope. A fault of ours or an outage is always possible. */
export function errorResponses(codes: readonly ErrorCode[]): JsonSchema {
  return Object.fromEntries([...codes, 'INTERNAL_SERVER_ERROR' as const, 'SERVICE_UNAVAILABLE' as const].map((code) => [
    ERROR_TABLE[code].status,
    {
      description: `\`${code}\`: ${ERROR_DESCRIPTIONS[code]}`,
      headers: { ...CORRELATION_HEADER, ...(code === 'RATE_LIMIT_EXCEEDED' ? headerReferences() : {}), ...(WAITS.includes(code) ? reference('Retry-After') : {}) },
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
  ]));
}

/** The headers of every limited answer; `Retry-After` comes with 429 and 503 alone. */
export function headerReferences(): JsonSchema {
  return Object.assign({}, ...Object.keys(RATE_LIMIT_HEADERS).filter((name) => name !== 'Retry-After').map(reference)) as JsonSchema;
}

function reference(name: string): JsonSchema {
  return { [name]: { $ref: `#/components/headers/${name}` } };
}
