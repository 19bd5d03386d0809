/** Errors of the OAuth endpoints in the shape of their RFCs: `{error, error_description}` (decision 9, D61). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, ERROR_TABLE, KnownError, retryAfterSeconds } from '#kernel/errors.ts';
import { knownError } from '../answer-error.ts';

/** A refusal with an error code of the RFCs. */
export class OauthError extends Error {
  readonly error: string;

  constructor(error: string, description: string) {
    super(description);
    this.name = 'OauthError';
    this.error = error;
  }
}

/**
 * Sends 400 for every protocol refusal, including an unknown client. Clients here never authenticate by HTTP, so there
 * is no challenge that a 401 would have to carry. 413, 415, 429, 503 (with `Retry-After`) and 500 keep their status.
 */
export function answerOauthError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof OauthError)
    return reply.code(400).send({ error: error.error, error_description: error.message });
  const known = knownError(error);
  if (!known) request.log.error({ err: error, correlationId: request.correlationId }, 'Unexpected error');
  const { code, message, details } = known ?? new KnownError('INTERNAL_SERVER_ERROR', 'Internal server error');
  const wait = retryAfterSeconds({ code, details });
  if (wait !== null) reply.header('Retry-After', wait);
  return reply
    .code(ERROR_TABLE[code].status)
    .send({ error: OAUTH_CODES[code] ?? 'invalid_request', error_description: DESCRIPTIONS[code] ?? message });
}

const OAUTH_CODES: Partial<Readonly<Record<ErrorCode, string>>> = {
  RATE_LIMIT_EXCEEDED: 'temporarily_unavailable',
  SERVICE_UNAVAILABLE: 'temporarily_unavailable',
  SECRET_UNREADABLE: 'server_error',
  INTERNAL_SERVER_ERROR: 'server_error',
};

/** Replaces messages of the error table that mention usage events. */
const DESCRIPTIONS: Partial<Readonly<Record<ErrorCode, string>>> = {
  PAYLOAD_TOO_LARGE: 'The request body is too large',
  UNSUPPORTED_MEDIA_TYPE: 'The request body has an unsupported content type',
};
