/** Figures of a set of outcomes, from their sums. */
import { type Amount, amount, money, plain, toLedger } from '#kernel/money.ts';
import { percent } from '#kernel/percent.ts';
import type { OutcomeFigures } from '../resolvers.generated.ts';
import type { OutcomeSums } from './outcome-rows.query.ts';

/** Values in this currency are compared with costs. */
const COMPARED = 'USD';

/** Ratios are rounded half-up to fifteen decimal places; all other figures are exact. */
export function outcomeFigures({ outcomes, succeeded, cost, failedCost, events, values }: OutcomeSums): OutcomeFigures {
  const [count, successes] = [Number(outcomes), Number(succeeded)];
  const total = amount(cost);
  const failed = amount(failedCost);
  const value = values?.[COMPARED] === undefined ? null : amount(values[COMPARED]);
  return {
    count,
    succeeded: successes,
    failed: count - successes,
    cost: total,
    eventCount: Number(events),
    costPerAttempt: ratio(total, count),
    costPerSuccess: ratio(total, successes),
    failedCost: failed,
    failedCostPercent: percent(failed, total),
    value,
    valueLessCost: value === null ? null : value - total,
    otherValues: Object.entries(values ?? {})
      .filter(([currency]) => currency !== COMPARED)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([currency, sum]) => ({ currency, value: amount(sum) })),
  };
}

/** Null if there is nothing to divide by. */
function ratio(total: Amount, count: number): Amount | null {
  return count === 0 ? null : amount(plain(toLedger(money(plain(total)).div(count))));
}

export const NO_OUTCOMES: OutcomeSums = {
  outcomes: '0',
  succeeded: '0',
  cost: '0',
  failedCost: '0',
  events: '0',
  values: null,
};
