/** Ends periods on a day. */
import { fail } from '#kernel/errors.ts';
import type { Period } from './fixed-cost.ts';

/**
 * Periods that begin on the day or later are removed, and the one that contains it ends there. Fails with
 * `VALIDATION_ERROR` if the day is inside a period that is paid as a whole, because the cost of the rest is unknown.
 */
export function endPeriods(periods: readonly Period[], day: string): Period[] {
  return periods
    .filter(({ fromDay }) => fromDay < day)
    .map((period) => {
      if (period.untilDay !== null && period.untilDay <= day) return period;
      if (period.per === 'period')
        fail(
          'VALIDATION_ERROR',
          `The period from ${period.fromDay} is paid as a whole: save it with its new amount instead`,
        );
      return { ...period, untilDay: day };
    });
}
