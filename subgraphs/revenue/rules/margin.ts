/** Revenue beside cost (api-specification.md, "Margin"). */
import { type Money, ZERO } from '../../../schema/money.ts';
import { percent } from '../../../schema/percent.ts';

export type ProfitabilityCategory = 'profitable' | 'break-even' | 'unprofitable';

export interface MarginFigures {
  /** Revenue minus cost. */
  readonly amount: Money;
  /** Of the revenue, two decimals; null when the revenue is zero. */
  readonly percent: number | null;
  readonly category: ProfitabilityCategory;
}

const PROFITABLE_ABOVE_PERCENT = 20;

export function marginOf(revenue: Money, cost: Money): MarginFigures {
  const amount = revenue.minus(cost);
  return { amount, percent: percent(amount, revenue), category: categoryOf(revenue, cost, amount) };
}

/**
 * The contract's rules to the letter, on the exact share before it is rounded for people. Where refunds of another period outweigh
 * the revenue of the window, the share of a negative revenue is what the formula gives: the amount beside it tells the loss.
 */
function categoryOf(revenue: Money, cost: Money, margin: Money): ProfitabilityCategory {
  if (revenue.isZero()) return cost.greaterThan(ZERO) ? 'unprofitable' : 'break-even';
  const share = margin.times(100).div(revenue);
  if (share.lessThan(ZERO)) return 'unprofitable';
  return share.greaterThan(PROFITABLE_ABOVE_PERCENT) ? 'profitable' : 'break-even';
}
