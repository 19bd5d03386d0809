/** Limits on one organization's use of a database, so that others are always served. */
import { availableParallelism } from 'node:os';
import { KnownError } from '#kernel/errors.ts';
import type { FairShareLimits } from './fair-share.ts';

const WAIT_MILLISECONDS = 10_000;

/**
 * Two organizations that read at full load leave room for a third. While others read, an organization leaves them half
 * of the processors, since a slow statement occupies a processor.
 */
export function readShare(connections: number): FairShareLimits {
  const placesEach = Math.max(Math.floor((connections * 3) / 8), 1);
  return {
    places: connections,
    placesEach,
    placesContended: Math.min(Math.max(Math.floor(availableParallelism() / 2), 1), placesEach),
    waitingEach: 100,
    waitMilliseconds: WAIT_MILLISECONDS,
  };
}

/** Some write connections are reserved for jobs. Writes also wait for the disk: two of them occupy one processor. */
export function writeShare(connections: number): FairShareLimits {
  const places = Math.max(Math.floor(connections * 0.75), 1);
  const placesEach = Math.max(Math.floor(places / 2), 1);
  return {
    places,
    placesEach,
    placesContended: Math.min(Math.max(availableParallelism(), 2), placesEach),
    waitingEach: 100,
    waitMilliseconds: WAIT_MILLISECONDS,
  };
}

/** A transaction idle for this long is abandoned: it holds locks and delays the feed. */
export const IDLE_IN_TRANSACTION_MILLISECONDS = 60_000;

const QUERY_CANCELED = '57014';

/** Converts the error of a read that took too long; other errors are unchanged. */
export function readError<Failure>(error: Failure, seconds: number): Failure | KnownError {
  if (codeOf(error) !== QUERY_CANCELED) return error;
  return new KnownError(
    'UNPROCESSABLE_ENTITY',
    `This read took longer than ${seconds} seconds and was stopped. Use a shorter range`,
  );
}

/**
 * Converts the error of a write that took too long. The write can be retried: it waited for other writes of its
 * organization.
 */
export function writeError(error: unknown, seconds: number): unknown {
  if (codeOf(error) !== QUERY_CANCELED) return error;
  return new KnownError(
    'RATE_LIMIT_EXCEEDED',
    `This took longer than ${seconds} seconds and was stopped; nothing was changed`,
    { retryAfterSeconds: seconds },
  );
}

/** The ORM wraps the driver's error. */
function codeOf(error: unknown): unknown {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  return code ?? cause?.code;
}
