/** What came of an attempt, and what follows from it. */
import { DAY_MS, DAY_SECONDS, later } from '../../../kernel/time/duration.ts';
import { FAILING_DAYS_MAX } from '../config.ts';
import type { DeliveryEnd } from './alert-delivery.table.ts';

export interface AttemptOutcome {
  /** Of HTTP or SMTP; null where no answer came. */
  readonly statusCode: number | null;
  /** In plain words; null when it was taken. */
  readonly error: string | null;
  /** The beginning of the receiver's answer. */
  readonly answer: string | null;
  /** `retry`: it may be taken later; `never`: this one will not be; `gone`: none ever will be. */
  readonly next: 'retry' | 'never' | 'gone' | null;
  /** What the receiver wants us to wait, where it says so. */
  readonly retryAfterSeconds: number | null;
}

const ANSWER_LENGTH_MAX = 200;

/** Of an answer over HTTP: any 2xx is taken, 410 says that no one is there any more (Standard Webhooks 1.0, "Operational considerations"). */
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
  if (statusCode === 410) return 'It answered 410: no one is there any more';
  if (statusCode >= 300 && statusCode < 400) return `It answered ${statusCode}: redirects are not followed`;
  return `It answered ${statusCode}`;
}

/** Without an answer. */
export function failedOutcome(
  error: string,
  next: 'retry' | 'never',
  statusCode: number | null = null,
): AttemptOutcome {
  return { statusCode, error, answer: null, next, retryAfterSeconds: null };
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Seconds after each failed attempt until the next one: over three days in all (Standard Webhooks 1.0, "Retries"). */
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

/** Of the wait: what failed together is not sent again together. */
const JITTER = 0.1;

/**
 * How long to wait after the `attempt`th attempt (from 1) failed, in seconds; null: there is no other one. `random` is uniform in
 * `[0, 1)`. What the receiver wants is the least, up to a day.
 */
export function retryDelaySeconds(attempt: number, random: number, retryAfterSeconds: number | null): number | null {
  const base = RETRY_SECONDS[attempt - 1];
  if (base === undefined) return null;
  return Math.max(base * (1 + JITTER * random), Math.min(retryAfterSeconds ?? 0, DAY_SECONDS));
}

/** What is written of a delivery whose `attempt`th attempt ended at a time. */
export function endOf(outcome: AttemptOutcome, attempt: number, at: Date, random: number): DeliveryEnd {
  const lastError = outcome.error;
  if (outcome.next === null) return { attempt, dueAt: null, doneAt: at, gaveUpAt: null, lastError };
  const seconds = outcome.next === 'retry' ? retryDelaySeconds(attempt, random, outcome.retryAfterSeconds) : null;
  if (seconds === null) return { attempt, dueAt: null, doneAt: null, gaveUpAt: at, lastError };
  return { attempt, dueAt: later(at, seconds), doneAt: null, gaveUpAt: null, lastError };
}

/** Why a channel is switched off after an attempt; null: it is not. `failingSince`: nothing was taken since. */
export function reasonToDisable(
  outcome: AttemptOutcome,
  { gaveUpAt }: DeliveryEnd,
  failingSince: Date | null,
): string | null {
  if (outcome.next === 'gone') return 'it answered 410: no one is there any more';
  if (gaveUpAt === null || failingSince === null) return null;
  const days = Math.floor((gaveUpAt.getTime() - failingSince.getTime()) / DAY_MS);
  return days < FAILING_DAYS_MAX ? null : `nothing was taken for ${days} days; the last attempt: ${outcome.error}`;
}
