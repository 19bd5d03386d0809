/** Margin figures from revenue and cost (contract.md, "Margin"). */
import type { Amount } from '#kernel/money.ts';
import { percent } from '#kernel/percent.ts';

type ProfitabilityCategory = 'profitable' | 'break-even' | 'unprofitable';

export interface MarginFigures {
  /** Revenue minus cost. */
  readonly amount: Amount;
  /** Share of the revenue with two decimals; null if the revenue is zero or negative. */
  readonly percent: number | null;
  readonly category: ProfitabilityCategory;
}

const PROFITABLE_ABOVE_PERCENT = 20n;

export function marginOf(revenue: Amount, cost: Amount): MarginFigures {
  const amount = revenue - cost;
  return {
    amount,
    percent: revenue < 0n ? null : percent(amount, revenue),
    category: categoryOf(revenue, cost, amount),
  };
}

/** The contract's rules, applied before rounding. Negative revenue is always unprofitable (decision 9, D47). */
function categoryOf(revenue: Amount, cost: Amount, margin: Amount): ProfitabilityCategory {
  if (revenue === 0n) return cost > 0n ? 'unprofitable' : 'break-even';
  if (revenue < 0n || margin < 0n) return 'unprofitable';
  return margin * 100n > revenue * PROFITABLE_ABOVE_PERCENT ? 'profitable' : 'break-even';
}
