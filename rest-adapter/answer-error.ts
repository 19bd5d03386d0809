/**
 * Converts a thrown error to status and body. Known errors keep their own message; all others are logged once and
 * masked.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ERROR_TABLE, KnownError, retryAfterSeconds } from '#kernel/errors.ts';
import { now } from '#platform/clock.ts';

/** Fastify errors caused by the sender. */
const FASTIFY_ERRORS: Readonly<Record<string, KnownError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: new KnownError('PAYLOAD_TOO_LARGE', 'The request body is larger than 4 MiB'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: new KnownError(
    'UNSUPPORTED_MEDIA_TYPE',
    'The request body must be sent as application/json',
  ),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: new KnownError(
    'VALIDATION_ERROR',
    'The request body does not have the length that Content-Length gives',
  ),
  FST_ERR_CTP_EMPTY_JSON_BODY: new KnownError('VALIDATION_ERROR', 'The request body is empty'),
  FST_ERR_BAD_URL: new KnownError('VALIDATION_ERROR', 'The URL is not valid'),
};

export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = knownError(error);
  if (!known) request.log.error({ err: error, correlationId: request.correlationId }, 'Unexpected error');
  const { code, message, details } = known ?? new KnownError('INTERNAL_SERVER_ERROR', 'Internal server error');
  const wait = retryAfterSeconds({ code, details });
  if (wait !== null) reply.header('Retry-After', wait);
  const body = envelope(
    { code, message, details },
    { correlationId: request.correlationId, method: request.method, path: pathOf(request) },
  );
  return reply.code(ERROR_TABLE[code].status).type('application/json; charset=utf-8').send(body);
}

/** The error that may be shown; `null` for an internal error. */
export function knownError(error: unknown): KnownError | null {
  if (error instanceof KnownError) return error;
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  const known = code === undefined ? undefined : FASTIFY_ERRORS[code];
  if (known) return known;
  return statusCode === 400 || statusCode === 414
    ? new KnownError('VALIDATION_ERROR', 'The request could not be read')
    : null;
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '/';
}

interface EnvelopeRequest {
  readonly correlationId: string;
  readonly method: string;
  /** Without the query string, which may contain data that should not be copied into a ticket. */
  readonly path: string;
}

/** The contract's standard error envelope: the only shape of an error of `/v1`, except for a bad signature. */
export function envelope(
  { code, message, details }: Pick<KnownError, 'code' | 'message' | 'details'>,
  request: EnvelopeRequest,
) {
  const { status, retryable, userMessage } = ERROR_TABLE[code];
  const supportMessage =
    status >= 500 ? { supportMessage: `Tell support the correlation id ${request.correlationId}.` } : {};
  return {
    success: false,
    error: {
      code,
      message,
      correlationId: request.correlationId,
      referenceCode: request.correlationId,
      details: { retryable, userMessage, ...supportMessage, ...details },
    },
    meta: {
      timestamp: now().toISOString(),
      method: request.method,
      path: request.path,
      requestId: request.correlationId,
    },
  };
}
