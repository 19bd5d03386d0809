/** The two shapes of an error, and when each code is given. */
import type { ErrorCode } from '../../schema/errors.ts';
import { ERROR_TABLE } from '../../schema/errors.ts';
import { instant, object, text } from '../json-schema.ts';

export const ERROR_DESCRIPTIONS: Readonly<Record<ErrorCode, string>> = {
  VALIDATION_ERROR: 'a parameter or the body is not valid; the message names it.',
  UNAUTHORIZED: 'the key is missing, invalid, revoked or expired.',
  PAYMENT_REQUIRED: 'the credit balance is zero; the event was not queued.',
  FORBIDDEN: 'the key lacks the scope.',
  NOT_FOUND: 'what a parameter names does not exist.',
  PAYLOAD_TOO_LARGE: 'the body is larger than 4 MiB.',
  UNSUPPORTED_MEDIA_TYPE: 'the body is not application/json.',
  UNPROCESSABLE_ENTITY: 'the range is longer than 12 months.',
  RATE_LIMIT_EXCEEDED: 'too many requests; wait as Retry-After says.',
  SERVICE_UNAVAILABLE: 'a part of the service is away for the moment; send the same again as Retry-After says: nothing is counted twice.',
  INTERNAL_SERVER_ERROR: 'a fault of the service; try again, or tell support the correlation id.',
};

export const ERROR_SCHEMA = object({
  success: { type: 'boolean', const: false },
  error: object({
    code: text('Branch on this.', { enum: Object.keys(ERROR_TABLE) }),
    message: text('For people.'),
    correlationId: text('Also in the header X-Correlation-ID.'),
    referenceCode: { ...text('The same as correlationId.'), deprecated: true },
    details: {
      type: 'object',
      properties: {
        retryable: { type: 'boolean' },
        userMessage: { type: 'string' },
        supportMessage: { type: 'string' },
        actionHint: { type: 'string' },
      },
      additionalProperties: true,
    },
  }, ['details']),
  meta: object({
    timestamp: instant('When the answer was made.'),
    method: text(''),
    path: text(''),
    requestId: text(''),
  }, ['method', 'path', 'requestId']),
});

export const FLAT_ERROR_SCHEMA = object({ error: text('For people.'), code: text('', { 'x-open-point': 'D10', examples: ['UNAUTHORIZED'] }) });
