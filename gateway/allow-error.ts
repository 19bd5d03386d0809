/**
 * Filters errors that leave the gateway: a code of the table with its message, or a masked error. The only filter for
 * both entry points.
 */
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { isErrorCode } from '#kernel/errors.ts';
import type { Log } from '#platform/log.ts';

/** Codes of graphql, Apollo and our limits for requests that cannot be executed. */
const REQUEST_ERRORS = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
  'BAD_REQUEST',
  'OPERATION_RESOLUTION_FAILURE',
]);
/** With automatic persisted queries, the client sends the whole document after one of these codes. */
const PERSISTED_QUERY_CODES: readonly unknown[] = ['PERSISTED_QUERY_NOT_FOUND', 'PERSISTED_QUERY_NOT_SUPPORTED'];

/**
 * Logs an error that is hidden from callers, with the correlation id of the response. Skips codes whose errors were
 * already logged.
 */
export function logUnexpected(error: GraphQLFormattedError | GraphQLError, log: Log, correlationId: string): void {
  const code = error.extensions?.['code'];
  if (code === 'INTERNAL_SERVER_ERROR' || isErrorCode(code) || isRequestError(error, code)) return;
  log.error({ err: error, correlationId }, 'Unexpected error at the gateway');
}

/** Returns the error as callers may see it, with the correlation id. Errors without an allowed code are masked. */
export function allowError(error: GraphQLFormattedError | GraphQLError, correlationId: string): GraphQLFormattedError {
  const code = error.extensions?.['code'];
  const place = {
    ...(error.path ? { path: error.path } : {}),
    ...(error.locations ? { locations: error.locations } : {}),
  };
  if (code === 'INTERNAL_SERVER_ERROR') return masked(place, correlationId);
  if (isErrorCode(code)) {
    const details = error.extensions?.['details'];
    return { message: error.message, ...place, extensions: { code, ...(details ? { details } : {}), correlationId } };
  }
  if (isRequestError(error, code)) {
    const shown = PERSISTED_QUERY_CODES.includes(code) ? String(code) : 'VALIDATION_ERROR';
    return { message: error.message, ...place, extensions: { code: shown, correlationId } };
  }
  return masked(place, correlationId);
}

/** Errors with this code are already logged at their source. */
function masked(
  place: Pick<GraphQLFormattedError, 'path' | 'locations'>,
  correlationId: string,
): GraphQLFormattedError {
  return { message: 'Internal server error', ...place, extensions: { code: 'INTERNAL_SERVER_ERROR', correlationId } };
}

/** A document or variable that does not match the schema. Apollo's gateway gives these errors no code. */
function isRequestError(error: GraphQLFormattedError | GraphQLError, code: unknown): boolean {
  if (typeof code === 'string') return REQUEST_ERRORS.has(code) || PERSISTED_QUERY_CODES.includes(code);
  return error instanceof GraphQLError && error.originalError === undefined;
}
