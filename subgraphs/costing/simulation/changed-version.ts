/** A rate card version with a caller's hypothetical rates. */
import type { Money } from '#kernel/money.ts';
import { byRate, type TokenClass } from '#schema/token-classes.ts';
import { effectiveRates } from '../rates/effective-rates.ts';
import type { RateCardVersion, TokenRates } from '../rates/rate-card-version.ts';
import type { RateChange } from './parse-changes.ts';

const RATE_DIGITS = 9;

/**
 * An amount replaces the class's own rate on the base level. Classes without a rate of their own follow it; tiers and
 * contexts that set the class keep their rates. A factor multiplies the class, or every class, on all levels and in all
 * contexts, rounded half-up at nine decimals.
 */
export function changedVersion(version: RateCardVersion, changes: readonly RateChange[]): RateCardVersion {
  return changes.reduce(withChange, version);
}

function withChange(version: RateCardVersion, { tokenClass, amount, factor }: RateChange): RateCardVersion {
  if (amount !== null && tokenClass !== null) return { ...version, rates: { ...version.rates, [tokenClass]: amount } };
  if (factor === null) return version;
  const times = (rate: Money | null) => rate?.times(factor).toDecimalPlaces(RATE_DIGITS) ?? null;
  const isMeant = (name: string) => tokenClass === null || name === tokenClass;
  const multiplied = (rates: TokenRates, derived: TokenRates): TokenRates =>
    byRate((name: TokenClass) => {
      if (!isMeant(name)) return rates[name];
      // A class that derives its rate from another one gets a rate of its own if a change applies to it alone.
      return times(tokenClass === null ? rates[name] : derived[name]);
    });
  return {
    ...version,
    rates: multiplied(version.rates, effectiveRates(version.rates)),
    tiers: version.tiers.map((tier) => ({ ...tier, ...multiplied(tier, tier) })),
    ...(version.variants === undefined
      ? {}
      : {
          variants: version.variants.map((variant) =>
            isMeant(variant.class) ? { ...variant, rate: times(variant.rate) } : variant,
          ),
        }),
  };
}
