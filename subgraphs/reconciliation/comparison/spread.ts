/** Measures how closely several ratios agree. */
import type { Quantity } from '#kernel/money.ts';

/** The median, and the range of the ratios relative to it. Null without ratios. */
export function spreadOf(ratios: readonly Quantity[]): { readonly median: Quantity; readonly spread: Quantity } | null {
  const sorted = [...ratios].sort((one, other) => one.comparedTo(other));
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (least === undefined || most === undefined) return null;
  const middle = Math.floor(sorted.length / 2);
  const median = sorted.length % 2 === 1 ? sorted[middle]! : sorted[middle - 1]!.plus(sorted[middle]!).div(2);
  return { median, spread: most.minus(least).div(median).abs() };
}
