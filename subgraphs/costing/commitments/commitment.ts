/** A commitment: an amount that the organization agreed to spend with a provider in each period. */
import type { Amount } from '#kernel/money.ts';
import { addMonths } from '#kernel/time/calendar.ts';
import { dayOf } from '#kernel/time/utc-day.ts';
import type { CostSelection } from '../provider-costs/selected-costs.ts';

/** `term`: one period, from the first day to the last. */
export const COMMITMENT_PERIODS = ['month', 'quarter', 'year', 'term'] as const;
type CommitmentPeriodLength = (typeof COMMITMENT_PERIODS)[number];

export interface CommitmentTerms extends Pick<CostSelection, 'providerSlug' | 'models'> {
  readonly name: string;
  /** USD in each period. */
  readonly amount: Amount;
  readonly periodLength: CommitmentPeriodLength;
  /** First UTC day. */
  readonly fromDay: string;
  /** The day after the last day, at the end of a period. Null if there is no end. */
  readonly untilDay: string | null;
}

export interface Commitment extends CommitmentTerms {
  readonly id: string;
  /** Incremented whenever the terms change. */
  readonly revision: number;
  /** A removed commitment has no shortfall; shortfalls already booked are reverted. */
  readonly isRemoved: boolean;
  readonly changedAt: Date;
}

export interface Period {
  /** First UTC day. */
  readonly fromDay: string;
  /** The day after the last day. */
  readonly untilDay: string;
}

const MONTHS = { month: 1, quarter: 3, year: 12 } as const;

/** Periods that begin before a day, in order. A commitment that begins on a 31st has periods that begin on the last day of shorter months. */
export function periodsUntil(
  { periodLength, fromDay, untilDay }: Pick<CommitmentTerms, 'periodLength' | 'fromDay' | 'untilDay'>,
  day: string,
): Period[] {
  if (periodLength === 'term') return fromDay < day && untilDay !== null ? [{ fromDay, untilDay }] : [];
  const first = new Date(fromDay);
  const startOf = (index: number) => dayOf(addMonths(first, index * MONTHS[periodLength]).getTime());
  const periods: Period[] = [];
  for (let start = fromDay; start < day && (untilDay === null || start < untilDay);) {
    const end = startOf(periods.length + 1);
    periods.push({ fromDay: start, untilDay: end });
    start = end;
  }
  return periods;
}
