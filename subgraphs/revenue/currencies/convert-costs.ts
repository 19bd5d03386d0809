/** Converts costs day by day: each day's USD cost times that day's rate, rounded once. */
import { absolute, type Amount, quantity, type Quantity } from '#kernel/money.ts';

/** Decimals of a rate. A rate has twelve significant digits, and no currency is worth less than a millionth of another. */
const RATE_SCALE = 10n ** 20n;

/** A rate as an integer of 10⁻²⁰. */
export type ScaledRate = bigint;

/** Rate of an amount that is already in the reporting currency. */
export const SAME_CURRENCY: ScaledRate = RATE_SCALE;

export function scaledRate(rate: Quantity): ScaledRate {
  return BigInt(rate.times(quantity(RATE_SCALE.toString())).toFixed(0));
}

/**
 * `rates`: the rate of each day; null if the day has none. Returns the converted sum, rounded half away from zero to
 * the ledger's digits, and the USD amount of days without a rate, which is not in it.
 */
export function convertCosts(
  days: readonly (readonly [day: number, cost: Amount])[],
  rates: readonly (ScaledRate | null)[],
): { readonly converted: Amount; readonly waiting: Amount } {
  let [exact, waiting] = [0n, 0n];
  for (const [day, cost] of days) {
    const rate = rates[day] ?? null;
    if (rate === null) waiting += cost;
    else exact += cost * rate;
  }
  const rounded = (absolute(exact) + RATE_SCALE / 2n) / RATE_SCALE;
  return { converted: exact < 0n ? -rounded : rounded, waiting };
}
