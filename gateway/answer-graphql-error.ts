/** What was thrown around GraphQL, in its shape. Known errors speak for themselves; the rest is logged and masked. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { correlationIdOf } from '../platform/correlation-id.ts';
import { ERROR_TABLE, KnownError, retryAfterSeconds } from '../schema/errors.ts';

export function answerGraphqlError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const correlationId = String(
    reply.getHeader('X-Correlation-ID') ?? correlationIdOf(request.headers['x-correlation-id']),
  );
  const known = error instanceof KnownError ? error : ofRequest(error);
  if (!known) request.log.error({ err: error, correlationId }, 'Unexpected error at the gateway');
  const { code, message, details } = known ?? new KnownError('INTERNAL_SERVER_ERROR', 'Internal server error');
  const wait = retryAfterSeconds({ code, details });
  if (wait !== null) reply.header('Retry-After', wait);
  return reply
    .code(ERROR_TABLE[code].status)
    .header('X-Correlation-ID', correlationId)
    .type('application/json')
    .send(JSON.stringify({ errors: [{ message, extensions: { code, correlationId } }] }));
}

/** Fastify's own errors that are the sender's fault. */
function ofRequest(error: unknown): KnownError | null {
  const { statusCode } = error as { statusCode?: number };
  if (statusCode === 413) return new KnownError('PAYLOAD_TOO_LARGE', 'The request body is too large');
  if (statusCode === 415)
    return new KnownError('UNSUPPORTED_MEDIA_TYPE', 'The request body must be sent as application/json');
  return statusCode !== undefined && statusCode >= 400 && statusCode < 500
    ? new KnownError('VALIDATION_ERROR', 'The request could not be read')
    : null;
}
