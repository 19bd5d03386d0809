/** Last step: amounts that were booked without a customer close the unexplained part of a difference. */
import { type Money, sum } from '#kernel/money.ts';
import type { BillDay, BillDifference } from './bill-comparison.ts';
import { verdictOfAmount, worst } from './compare-bill.ts';

export interface BookedAdjustment {
  readonly lastDay: string;
  readonly model: string | null;
  readonly unit: string | null;
  readonly amount: Money;
  readonly note: string;
}

/** `adjustments`: of the day. */
export function applyAdjustments<Day extends BillDay>(day: Day, adjustments: readonly BookedAdjustment[]): Day {
  if (adjustments.length === 0) return day;
  const differences = day.differences.map((difference) =>
    adjustments.filter((one) => isOf(one, difference)).reduce(withAdjustment, difference),
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

function withAdjustment(difference: BillDifference, { amount, note }: BookedAdjustment): BillDifference {
  if (difference.unexplained === null) return difference;
  const unexplained = difference.unexplained.minus(amount);
  const causes = [
    ...difference.causes,
    { cause: 'ADJUSTMENT' as const, amount, detail: `booked without a customer: ${note}` },
  ];
  return { ...difference, causes, unexplained, amountVerdict: verdictOfAmount(unexplained, causes) };
}
