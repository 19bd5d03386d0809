/** The plan that results from an operator's change (decision 9, D12, D13). */
import { addMonths } from '#kernel/time/calendar.ts';
import { fail } from '#kernel/errors.ts';
import { type Instant, parseIso8601 } from '#kernel/time/instant.ts';
import { SOFT_LIMIT_PERCENT } from '../config.ts';
import { type CreditAccount, renewed } from './credit-account.ts';

export interface PlanRequest {
  readonly allotment: number;
  readonly softLimit?: number | null | undefined;
  readonly renewsAt?: string | null | undefined;
}

export interface Plan {
  readonly allotment: number;
  readonly left: number;
  readonly softLimit: number;
  readonly renewsAt: Date;
  readonly renewalDay: number;
}

/**
 * Events used in the current period stay used: a larger plan adds the difference, and setting the same plan twice adds
 * nothing. `left` is negative if more was used than the new plan contains. Fails with `VALIDATION_ERROR`.
 */
export function planOf(before: CreditAccount, { allotment, softLimit, renewsAt }: PlanRequest, now: Date): Plan {
  requireCount('allotment', allotment);
  if (softLimit !== undefined && softLimit !== null) requireCount('softLimit', softLimit);
  const renewal =
    renewsAt === undefined || renewsAt === null ? addMonths(now, 1) : requireInstant('renewsAt', renewsAt);
  const current = renewed(before, now).allotment;
  const used = current === null ? 0 : current.size - current.left;
  return {
    allotment,
    left: allotment - used,
    softLimit: softLimit ?? Math.floor((allotment / 100) * SOFT_LIMIT_PERCENT),
    renewsAt: renewal,
    renewalDay: renewal.getUTCDate(),
  };
}

/** Fails with `VALIDATION_ERROR` unless the value is a whole number, 0 or more. */
export function requireCount(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 0) return;
  fail('VALIDATION_ERROR', `${name} must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`);
}

/** Truncated to milliseconds. */
export function requireInstant(name: string, text: string): Date {
  const instant: Instant =
    parseIso8601(text) ?? fail('VALIDATION_ERROR', `${name} must be an ISO 8601 date or date-time`);
  return new Date(instant.epochMs);
}
