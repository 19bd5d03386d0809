/** Outcome of an attempt, and what follows from it. */
import { DAY_MS, DAY_SECONDS, later } from '#kernel/time/duration.ts';
import { FAILING_DAYS_MAX } from '../config.ts';
import type { DeliveryEnd } from './delivery-queue.step.ts';

export interface AttemptOutcome {
  /** HTTP or SMTP status; null without a response. */
  readonly statusCode: number | null;
  /** Plain text; null if the delivery was accepted. */
  readonly error: string | null;
  /** First part of the receiver's response. */
  readonly answer: string | null;
  /** `retry`: may be accepted later; `never`: this delivery will not be accepted; `gone`: no delivery will ever be. */
  readonly next: 'retry' | 'never' | 'gone' | null;
  /** Wait that the receiver requested, if any. */
  readonly retryAfterSeconds: number | null;
}

const ANSWER_LENGTH_MAX = 200;

/**
 * Outcome of an HTTP response: any 2xx is success; 410 means that the endpoint is gone (Standard Webhooks 1.0,
 * "Operational considerations").
 */
export function httpOutcome(statusCode: number, text: string, retryAfter: unknown): AttemptOutcome {
  const isTaken = statusCode >= 200 && statusCode < 300;
  const seconds = typeof retryAfter === 'string' && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : null;
  const printable = text.replaceAll(/\p{Cc}+/gu, ' ').trim();
  return {
    statusCode,
    error: isTaken ? null : describeStatus(statusCode),
    answer: printable === '' ? null : printable.slice(0, ANSWER_LENGTH_MAX),
    next: isTaken ? null : statusCode === 410 ? 'gone' : 'retry',
    retryAfterSeconds: seconds,
  };
}

function describeStatus(statusCode: number): string {
  if (statusCode === 410) return 'The receiver responded with 410 (gone)';
  if (statusCode >= 300 && statusCode < 400)
    return `The receiver responded with ${statusCode}: redirects are not followed`;
  return `The receiver responded with ${statusCode}`;
}

/** Outcome without an HTTP response. */
export function failedOutcome(
  error: string,
  next: 'retry' | 'never',
  statusCode: number | null = null,
): AttemptOutcome {
  return { statusCode, error, answer: null, next, retryAfterSeconds: null };
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Seconds from each failed attempt to the next; more than three days in total (Standard Webhooks 1.0, "Retries"). */
export const RETRY_SECONDS = [
  5,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;

/** Fraction of the wait: deliveries that failed at the same time are not retried at the same time. */
const JITTER = 0.1;

/**
 * Seconds to wait after the `attempt`th attempt (from 1) failed; null if it was the last. `random` is uniform in `[0,
 * 1)`. The wait that the receiver requested is the minimum, up to a day.
 */
export function retryDelaySeconds(attempt: number, random: number, retryAfterSeconds: number | null): number | null {
  const base = RETRY_SECONDS[attempt - 1];
  if (base === undefined) return null;
  return Math.max(base * (1 + JITTER * random), Math.min(retryAfterSeconds ?? 0, DAY_SECONDS));
}

/** The row's new values after the `attempt`th attempt ended at `at`. */
export function endOf(outcome: AttemptOutcome, attempt: number, at: Date, random: number): DeliveryEnd {
  const lastError = outcome.error;
  if (outcome.next === null) return { attempt, dueAt: null, doneAt: at, gaveUpAt: null, lastError };
  const seconds = outcome.next === 'retry' ? retryDelaySeconds(attempt, random, outcome.retryAfterSeconds) : null;
  if (seconds === null) return { attempt, dueAt: null, doneAt: null, gaveUpAt: at, lastError };
  return { attempt, dueAt: later(at, seconds), doneAt: null, gaveUpAt: null, lastError };
}

/**
 * Reason to disable a channel after an attempt; null to keep it. `failingSince`: every delivery since then has failed.
 */
export function reasonToDisable(
  outcome: AttemptOutcome,
  { gaveUpAt }: DeliveryEnd,
  failingSince: Date | null,
): string | null {
  if (outcome.next === 'gone') return 'the receiver responded with 410 (gone)';
  if (gaveUpAt === null || failingSince === null) return null;
  const days = Math.floor((gaveUpAt.getTime() - failingSince.getTime()) / DAY_MS);
  return days < FAILING_DAYS_MAX ? null : `all deliveries failed for ${days} days; last attempt: ${outcome.error}`;
}
