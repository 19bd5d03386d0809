/**
 * Masks errors of a subgraph: known errors pass, outages become SERVICE_UNAVAILABLE, everything else is logged once
 * and masked.
 */
import { GraphQLError, type GraphQLFormattedError, Kind } from 'graphql';
import { isErrorCode, KnownError } from '#kernel/errors.ts';
import { logOutage } from '../outage-log.ts';
import { AWAY_MESSAGE, unavailability } from '../unavailability.ts';
import type { SubgraphContext } from './context.ts';

/** PostgreSQL's `character_not_in_repertoire`: our own output is valid UTF-8, so it is a NUL from the caller. */
const UNSTORABLE_TEXT = '22021';

/** Marks errors that have been logged. */
const MASKED = 'INTERNAL_SERVER_ERROR';

export function maskError(
  error: GraphQLError,
  context: Pick<SubgraphContext, 'log' | 'principal'>,
): GraphQLFormattedError {
  const place = { ...(error.path ? { path: error.path } : {}) };
  const cause = error.originalError;
  if (cause instanceof KnownError) {
    return { message: cause.message, ...place, extensions: { code: cause.code, details: cause.details } };
  }
  if (cause === undefined || cause === null || isFaultOfDocument(error, cause)) {
    const code = error.extensions['code'];
    return { message: error.message, ...place, extensions: { code: isErrorCode(code) ? code : 'VALIDATION_ERROR' } };
  }
  if (sqlStateOf(cause) === UNSTORABLE_TEXT) {
    const message = 'A text contains a NUL character, which cannot be stored';
    return { message, ...place, extensions: { code: 'VALIDATION_ERROR' } };
  }
  const request = { correlationId: context.principal.correlationId, path: error.path?.join('.') };
  const outage = unavailability(cause);
  if (outage) {
    logOutage(context.log, 'A dependency of the subgraph', { ...outage, ...request });
    return { message: AWAY_MESSAGE, ...place, extensions: { code: 'SERVICE_UNAVAILABLE' } };
  }
  context.log.error({ err: cause, ...request }, 'Unexpected error');
  return { message: 'Internal server error', ...place, extensions: { code: MASKED } };
}

/**
 * True if graphql or a scalar refused what the caller sent. An error without a path means that nothing was executed:
 * the document or a variable is wrong. During execution, an error about a wrong argument has a code or points at the
 * argument; any other error is about a value of our own.
 */
function isFaultOfDocument({ path, extensions }: GraphQLError, cause: Error): boolean {
  if (!(cause instanceof GraphQLError)) return false;
  if (path === undefined || isErrorCode(extensions['code'])) return true;
  return cause.nodes?.some(({ kind }) => kind !== Kind.FIELD) ?? false;
}

function sqlStateOf(error: Error): string | undefined {
  return (error as { code?: string }).code;
}
