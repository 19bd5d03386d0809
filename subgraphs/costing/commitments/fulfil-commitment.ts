/** Computes the spend that counts for a commitment by day, and the shortfall of its periods. A pure function of terms and costs. */
import type { Amount } from '#kernel/money.ts';
import { addDays } from '#kernel/time/utc-day.ts';
import { type CommitmentTerms, periodsUntil } from './commitment.ts';

/** `shortfall`: the amount missing at the end of a period, booked on its last day. */
export const COMMITMENT_CAUSES = ['spend', 'shortfall'] as const;
type CommitmentCause = (typeof COMMITMENT_CAUSES)[number];

export interface CommitmentAmount {
  readonly day: string;
  readonly cause: CommitmentCause;
  readonly amount: Amount;
}

export interface SpentDay {
  readonly day: string;
  readonly spent: Amount;
}

/**
 * `days`: all days settled so far, in order; they may begin before the commitment. In a period that has ended, spend
 * and shortfall add up to the amount, or the spend exceeds it and there is no shortfall.
 */
export function fulfilCommitment(
  terms: Pick<CommitmentTerms, 'amount' | 'periodLength' | 'fromDay' | 'untilDay'>,
  days: readonly SpentDay[],
): CommitmentAmount[] {
  const last = days.at(-1)?.day;
  if (last === undefined) return [];
  const until = addDays(last, 1);
  const found: CommitmentAmount[] = [];
  let index = days.findIndex(({ day }) => day >= terms.fromDay);
  if (index < 0) return [];
  for (const period of periodsUntil(terms, until)) {
    let missing = terms.amount;
    for (; index < days.length && days[index]!.day < period.untilDay; index++) {
      const { day, spent } = days[index]!;
      if (spent === 0n) continue;
      missing -= spent;
      found.push({ day, cause: 'spend', amount: spent });
    }
    if (period.untilDay <= until && missing > 0n)
      found.push({ day: addDays(period.untilDay, -1), cause: 'shortfall', amount: missing });
  }
  return found;
}
