/** The one function that makes a percentage (decisions.md D27). */
import { type Money, ZERO } from './money.ts';

/** `part / whole * 100`, half-up (away from zero) to two decimals; `null` when the whole is zero. */
export function percent(part: Money, whole: Money): number | null {
  if (whole.isZero()) return null;
  const rounded = part.times(100).div(whole).toDecimalPlaces(2);
  return rounded.equals(ZERO) ? 0 : rounded.toNumber();
}
