/**
 * Last step: subtracts amounts booked without a customer from the unexplained part of a difference, or from costs
 * without events.
 */
import { type Money, plain, sum, ZERO } from '#kernel/money.ts';
import { type BillDay, type BillDifference, type CauseShare, isWithoutEvents } from './bill-comparison.ts';
import { verdictOfAmount, worst } from './compare-bill.ts';

export interface BookedAdjustment {
  readonly lastDay: string;
  readonly model: string | null;
  readonly unit: string | null;
  readonly amount: Money;
  readonly note: string;
  /** The cause that the adjustment books; null for the unexplained part. */
  readonly cause: 'NOT_TRACKED' | null;
}

/** `adjustments`: those of the day. */
export function applyAdjustments<Day extends BillDay>(day: Day, adjustments: readonly BookedAdjustment[]): Day {
  if (adjustments.length === 0) return day;
  // Lines of untracked scopes form a separate difference without a model, which follows the one that can be adjusted.
  const adjusted = new Set(adjustments.map((one) => day.differences.find((difference) => isOf(one, difference))));
  const differences = day.differences.map((difference) =>
    adjusted.has(difference)
      ? adjustments.filter((one) => isOf(one, difference)).reduce(withAdjustment, difference)
      : difference,
  );
  const amounts = differences.map(({ unexplained }) => unexplained);
  return {
    ...day,
    differences,
    unexplained: amounts.includes(null) ? null : sum(amounts.map((amount) => amount!)),
    amountVerdict: worst(differences.map(({ amountVerdict }) => amountVerdict)),
  };
}

function isOf(one: BookedAdjustment, other: BillDifference): boolean {
  return one.lastDay === other.lastDay && one.model === other.model && one.unit === other.unit;
}

function withAdjustment(difference: BillDifference, adjustment: BookedAdjustment): BillDifference {
  if (difference.unexplained === null) return difference;
  const { amount, note } = adjustment;
  const share: CauseShare = { cause: 'ADJUSTMENT', amount, detail: `booked without a customer: ${note}` };
  const causes = [...(adjustment.cause === null ? difference.causes : withoutBooked(difference.causes, amount)), share];
  const unexplained = adjustment.cause === null ? difference.unexplained.minus(amount) : difference.unexplained;
  return { ...difference, causes, unexplained, amountVerdict: verdictOfAmount(unexplained, causes) };
}

/**
 * Removes the part of the costs without events that is already booked. If the bill has changed since, the rest becomes
 * a single share.
 */
function withoutBooked(causes: readonly CauseShare[], booked: Money): CauseShare[] {
  const billed = causes.filter(isWithoutEvents).reduce((total, { amount }) => total.plus(amount), ZERO);
  const others = causes.filter((share) => !isWithoutEvents(share));
  const amount = billed.minus(booked);
  if (amount.isZero()) return others;
  const detail = `charged without usage events: ${plain(billed)}, of which ${plain(booked)} are booked`;
  return [...others, { cause: 'NOT_TRACKED', amount, detail }];
}
