/** What leaves the gateway of an error: a code of the table with its message, or a mask. The one filter for both ways in. */
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { isErrorCode } from '../schema/errors.ts';
import type { Log } from '../platform/log.ts';

/** Codes that graphql, Apollo and the limits give to a request that cannot be run. */
const REQUEST_ERRORS = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
  'BAD_REQUEST',
  'OPERATION_RESOLUTION_FAILURE',
]);
/** A client of automatic persisted queries sends the whole document when it reads one of these. */
const PERSISTED_QUERY_CODES: readonly unknown[] = ['PERSISTED_QUERY_NOT_FOUND', 'PERSISTED_QUERY_NOT_SUPPORTED'];

/** Logs an error that no caller may read, unless it has a code by which it was logged, with the id that leads from the answer to the log. */
export function logUnexpected(error: GraphQLFormattedError | GraphQLError, log: Log, correlationId: string): void {
  const code = error.extensions?.['code'];
  if (code === 'INTERNAL_SERVER_ERROR' || isErrorCode(code) || isRequestError(error, code)) return;
  log.error({ err: error, correlationId }, 'Unexpected error at the gateway');
}

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

/** Anyone who gave this code has logged the error. */
function masked(
  place: Pick<GraphQLFormattedError, 'path' | 'locations'>,
  correlationId: string,
): GraphQLFormattedError {
  return { message: 'Internal server error', ...place, extensions: { code: 'INTERNAL_SERVER_ERROR', correlationId } };
}

/** A document or variable that does not fit the schema; Apollo's gateway gives these no code of their own. */
function isRequestError(error: GraphQLFormattedError | GraphQLError, code: unknown): boolean {
  if (typeof code === 'string') return REQUEST_ERRORS.has(code) || PERSISTED_QUERY_CODES.includes(code);
  return error instanceof GraphQLError && error.originalError === undefined;
}
