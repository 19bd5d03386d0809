/** Responses shared by operations: one error response per code, and the headers of rate-limited responses. */
import { type ErrorCode, ERROR_TABLE } from '#kernel/errors.ts';
import type { JsonSchema } from '../json-schema.ts';
import { ERROR_DESCRIPTIONS, errorExample } from './errors.ts';
import { RATE_LIMIT_HEADERS } from './rate-limit-headers.ts';

export const CORRELATION_HEADER: JsonSchema = { 'X-Correlation-ID': { $ref: '#/components/headers/X-Correlation-ID' } };

const WAITS: readonly ErrorCode[] = ['RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'];

/** The response of every code, by component name; each is the envelope. */
export function errorComponents(): JsonSchema {
  return Object.fromEntries(
    (Object.keys(ERROR_TABLE) as ErrorCode[]).map((code) => [
      componentName(code),
      {
        description: `\`${code}\`: ${ERROR_DESCRIPTIONS[code]}`,
        headers: {
          ...CORRELATION_HEADER,
          ...(code === 'RATE_LIMIT_EXCEEDED' ? headerReferences() : {}),
          ...(WAITS.includes(code) ? reference('Retry-After') : {}),
        },
        content: {
          'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: errorExample(code) },
        },
      },
    ]),
  );
}

/** One response per status. An internal error or an outage is always possible. */
export function errorResponses(codes: readonly ErrorCode[]): JsonSchema {
  return Object.fromEntries(
    [...codes, 'INTERNAL_SERVER_ERROR' as const, 'SERVICE_UNAVAILABLE' as const].map((code) => [
      ERROR_TABLE[code].status,
      { $ref: `#/components/responses/${componentName(code)}` },
    ]),
  );
}

/** Headers of every rate-limited response; `Retry-After` is sent only with 429 and 503. */
export function headerReferences(): JsonSchema {
  return Object.assign(
    {},
    ...Object.keys(RATE_LIMIT_HEADERS)
      .filter((name) => name !== 'Retry-After')
      .map(reference),
  ) as JsonSchema;
}

/** `NOT_FOUND` → `NotFound`. */
function componentName(code: ErrorCode): string {
  return code.toLowerCase().replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function reference(name: string): JsonSchema {
  return { [name]: { $ref: `#/components/headers/${name}` } };
}
