/** Revenue next to cost (contract.md, "Margin"). */
import type { Amount } from '../../../kernel/money.ts';
import { percent } from '../../../kernel/percent.ts';

type ProfitabilityCategory = 'profitable' | 'break-even' | 'unprofitable';

export interface MarginFigures {
  /** Revenue minus cost. */
  readonly amount: Amount;
  /** Of the revenue, two decimals; null when the revenue is zero. */
  readonly percent: number | null;
  readonly category: ProfitabilityCategory;
}

const PROFITABLE_ABOVE_PERCENT = 20n;

export function marginOf(revenue: Amount, cost: Amount): MarginFigures {
  const amount = revenue - cost;
  return { amount, percent: percent(amount, revenue), category: categoryOf(revenue, cost, amount) };
}

/**
 * The contract's rules to the letter, on the exact share before it is rounded for people. Where refunds of another period outweigh
 * the revenue of the window, the share of a negative revenue is what the formula gives: the amount next to it tells the loss.
 */
function categoryOf(revenue: Amount, cost: Amount, margin: Amount): ProfitabilityCategory {
  if (revenue === 0n) return cost > 0n ? 'unprofitable' : 'break-even';
  // The share's sign and size without dividing: both sides of the fraction turn positive together.
  const [part, whole] = revenue < 0n ? [-margin, -revenue] : [margin, revenue];
  if (part < 0n) return 'unprofitable';
  return part * 100n > whole * PROFITABLE_ABOVE_PERCENT ? 'profitable' : 'break-even';
}
