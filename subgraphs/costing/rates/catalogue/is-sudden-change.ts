/** Tells whether a price moved so far that a person should look at it before anybody is charged by it. */
import { quantity } from '../../../../kernel/money.ts';
import type { Money } from '../../../../kernel/money.ts';
import { chooseTier } from '../choose-tier.ts';
import { effectiveRates } from '../effective-rates.ts';
import { TOKEN_CLASSES } from '../rate-card-version.ts';
import type { RateCardVersion } from '../rate-card-version.ts';

const FACTOR_MAX = 3;

/**
 * True where any price that both versions state (a token class on any level, a unit) grew or shrank above threefold,
 * came from or went to zero, or where one is priced per unit and the other is not.
 */
export function isSuddenChange(before: RateCardVersion, after: RateCardVersion): boolean {
  if ((before.perUnit === null) !== (after.perUnit === null)) return true;
  const thresholds = [...before.tiers, ...after.tiers].map(({ aboveInputTokens }) => aboveInputTokens);
  return isFar(before.perUnit, after.perUnit)
    || [0, ...thresholds].some((threshold) => haveFarRates(before, after, threshold + 1))
    || Object.entries(before.unitPrices).some(([name, price]) => isFar(price, after.unitPrices[name] ?? null));
}

function haveFarRates(before: RateCardVersion, after: RateCardVersion, inputTokens: number): boolean {
  const ratesOf = (version: RateCardVersion) => effectiveRates(chooseTier(version, quantity(inputTokens)).rates);
  const [old, now] = [ratesOf(before), ratesOf(after)];
  return TOKEN_CLASSES.some((name) => isFar(old[name], now[name]));
}

function isFar(before: Money | null, after: Money | null): boolean {
  if (before === null || after === null || before.eq(after)) return false;
  return after.gt(before.times(FACTOR_MAX)) || before.gt(after.times(FACTOR_MAX));
}
