/** What one organization may hold of a database at a time, so that others are served whatever it asks for. */
import { availableParallelism } from 'node:os';
import { KnownError } from '../../schema/errors.ts';
import type { FairShareLimits } from './fair-share.ts';

const WAIT_MILLISECONDS = 10_000;

/**
 * Two organizations that read as much as they can leave room for a third; and while others read, one leaves them half of the
 * processors: a slow statement keeps one busy.
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

/** Of the connections that write, some are the jobs' alone. A write waits for the disk, too: two of them keep one processor busy. */
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

/** A transaction that idles so long has been forgotten by its process: it holds locks, and the feed back. */
export const IDLE_IN_TRANSACTION_MILLISECONDS = 60_000;

const QUERY_CANCELED = '57014';

/** The error that a caller sees of a read that took too long; anything else stays as it is. */
export function readError<Failure>(error: Failure, seconds: number): Failure | KnownError {
  if (codeOf(error) !== QUERY_CANCELED) return error;
  return new KnownError(
    'UNPROCESSABLE_ENTITY',
    `This read took longer than ${seconds} seconds and was stopped. Ask for a shorter range`,
  );
}

/** The same of a write, which will do later: it waited for others of its organization. */
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
