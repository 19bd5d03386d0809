/** Refusals of `/graphql` before and around Apollo: a GraphQL error with the HTTP status of its code. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GraphQLError } from 'graphql';
import { ERROR_TABLE, type ErrorCode, KnownError } from '#kernel/errors.ts';

const RESPONSE_JSON = 'application/graphql-response+json';

export function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  code: ErrorCode,
  message: string,
  correlationId: string,
): FastifyReply {
  return send(request, reply, ERROR_TABLE[code].status, code, message, correlationId);
}

/** Refuses a request with an unsupported HTTP method. */
export function refuseMethod(request: FastifyRequest, reply: FastifyReply, correlationId: string): FastifyReply {
  return send(
    request,
    reply.header('Allow', 'GET, POST'),
    405,
    'VALIDATION_ERROR',
    'Only GET and POST are served here',
    correlationId,
  );
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  code: ErrorCode,
  message: string,
  correlationId: string,
): FastifyReply {
  const type = request.headers.accept?.includes(RESPONSE_JSON) ? RESPONSE_JSON : 'application/json';
  return reply
    .code(status)
    .type(`${type}; charset=utf-8`)
    .send(JSON.stringify({ errors: [{ message, extensions: { code, correlationId } }] }));
}

/** A known error as a `GraphQLError` with its HTTP status, which Apollo Server reads. Unknown errors are returned unchanged. */
export function withStatus(error: unknown): unknown {
  if (!(error instanceof KnownError)) return error;
  const { code, message, details } = error;
  return new GraphQLError(message, { extensions: { code, details, http: { status: ERROR_TABLE[code].status } } });
}
