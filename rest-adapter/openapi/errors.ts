/** The two shapes of an error, and the meaning of each code. */
import type { ErrorCode } from '#kernel/errors.ts';
import { ERROR_TABLE } from '#kernel/errors.ts';
import { instant, object, text } from '../json-schema.ts';

export const ERROR_DESCRIPTIONS: Readonly<Record<ErrorCode, string>> = {
  VALIDATION_ERROR: 'a parameter or the body is invalid; the message names it.',
  UNAUTHORIZED: 'the key is missing, invalid, revoked or expired.',
  PAYMENT_REQUIRED: 'the credit balance is zero; the event was not queued.',
  FORBIDDEN: 'the key lacks the scope.',
  NOT_FOUND: 'the object that a parameter refers to does not exist.',
  PAYLOAD_TOO_LARGE: 'the body is larger than 4 MiB, or one of its events is larger than 256 KiB.',
  UNSUPPORTED_MEDIA_TYPE: 'the body is not application/json.',
  UNPROCESSABLE_ENTITY:
    'the range is longer than 12 months (margin), or the read took too long: ask for a shorter one.',
  RATE_LIMIT_EXCEEDED: 'too many requests; wait as Retry-After says.',
  SECRET_UNREADABLE: 'a stored secret cannot be decrypted with the key of the service; contact its operator.',
  SERVICE_UNAVAILABLE:
    'part of the service is temporarily unavailable; retry as Retry-After says. Nothing is counted twice.',
  INTERNAL_SERVER_ERROR: 'an error in the service; retry, or send support the correlation id.',
};

const EXAMPLE_MESSAGES: Readonly<Record<ErrorCode, string>> = {
  VALIDATION_ERROR: 'start_date must be an ISO 8601 date or date-time',
  UNAUTHORIZED: 'The API key is not valid',
  PAYMENT_REQUIRED: 'The event credits are used up',
  FORBIDDEN: 'The API key lacks the scope costs:read',
  NOT_FOUND: 'Unknown dimension_key',
  PAYLOAD_TOO_LARGE: 'The request body is larger than 4 MiB',
  UNSUPPORTED_MEDIA_TYPE: 'The request body must be sent as application/json',
  UNPROCESSABLE_ENTITY: 'The range must not be longer than 12 months',
  RATE_LIMIT_EXCEEDED: 'Rate limit exceeded; wait 42 seconds',
  SERVICE_UNAVAILABLE: 'This is not available for the moment. Send the same request again soon',
  SECRET_UNREADABLE: 'The test key cannot be opened with the secret of the service',
  INTERNAL_SERVER_ERROR: 'Internal server error',
};

export const ERROR_SCHEMA = {
  description: 'The standard error envelope.',
  ...object({
    success: { type: 'boolean', const: false, description: 'Always false.' },
    error: {
      description: 'What went wrong.',
      ...object(
        {
          code: text('Error code. Programs should check this.', { enum: Object.keys(ERROR_TABLE) }),
          message: text('Text for people.'),
          correlationId: text('Also in the header X-Correlation-ID.'),
          referenceCode: { ...text('The same as correlationId.'), deprecated: true },
          details: {
            type: 'object',
            description: 'Details; further members depend on the code.',
            properties: {
              retryable: { type: 'boolean', description: 'Whether the same request can succeed later.' },
              userMessage: text('What a person can do about it.'),
              supportMessage: text('What to send to support.'),
              actionHint: text('What a program can do about the error.'),
            },
            additionalProperties: true,
          },
        },
        ['details'],
      ),
    },
    meta: {
      description: 'Correlation id of the request.',
      ...object(
        {
          timestamp: instant('Time of the response.'),
          method: text('HTTP method of the request.'),
          path: text('Path of the request, without its query.'),
          requestId: text('The same as error.correlationId.'),
        },
        ['method', 'path', 'requestId'],
      ),
    },
  }),
};

export const FLAT_ERROR_SCHEMA = {
  description: 'An invalid signature: the only error without the envelope.',
  ...object({
    error: text('Text for people.'),
    code: text('Error code. Programs should check this.', { 'x-open-point': 'D10', examples: ['UNAUTHORIZED'] }),
  }),
};

const CORRELATION_ID = '019b7a3c-52d1-7c40-9d3b-6f1f0f5f7a10';

/** An example envelope with this code. */
export function errorExample(code: ErrorCode): object {
  const { status, retryable, userMessage } = ERROR_TABLE[code];
  return {
    success: false,
    error: {
      code,
      message: EXAMPLE_MESSAGES[code],
      correlationId: CORRELATION_ID,
      referenceCode: CORRELATION_ID,
      details: {
        retryable,
        userMessage,
        ...(status >= 500 ? { supportMessage: `Tell support the correlation id ${CORRELATION_ID}.` } : {}),
      },
    },
    meta: {
      timestamp: '2026-02-01T08:00:00.000Z',
      method: 'GET',
      path: '/v1/cost-data/by-model',
      requestId: CORRELATION_ID,
    },
  };
}
