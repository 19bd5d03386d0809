/** A rate card version with a caller's hypothetical rates. */
import { type Money, quantity } from '#kernel/money.ts';
import { byRate, TOKEN_CLASSES, type TokenClass } from '#schema/token-classes.ts';
import { chooseTier } from '../rates/choose-tier.ts';
import { effectiveRates } from '../rates/effective-rates.ts';
import type { RateCardVersion, RateVariant, TokenRates } from '../rates/rate-card-version.ts';
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
  const { rates, tiers, variants, ...rest } = tokenClass === null ? version : withOwnRate(version, tokenClass);
  const times = (rate: Money | null) => rate?.times(factor).toDecimalPlaces(RATE_DIGITS) ?? null;
  const isMeant = (name: string) => tokenClass === null || name === tokenClass;
  const multiplied = (of: TokenRates): TokenRates => byRate((name) => (isMeant(name) ? times(of[name]) : of[name]));
  return {
    ...rest,
    rates: multiplied(rates),
    tiers: tiers.map((tier) => ({ ...tier, ...multiplied(tier) })),
    ...(variants === undefined
      ? {}
      : {
          variants: variants.map((variant) =>
            isMeant(variant.class) ? { ...variant, rate: times(variant.rate) } : variant,
          ),
        }),
  };
}

/**
 * The same prices, with a rate of its own for a class that derives its rate from another one: on every level, and in
 * every context that prices the other class.
 */
function withOwnRate(version: RateCardVersion, name: TokenClass): RateCardVersion {
  const { rates, tiers, variants } = version;
  const derived = effectiveRates(rates)[name];
  if (rates[name] !== null || derived === null) return version;
  const own: RateVariant[] = [];
  for (const source of sourcesOf(rates, name)) {
    const known = [...(variants ?? []).filter((variant) => variant.class === name), ...own];
    const copied = (variants ?? [])
      .filter((variant) => variant.class === source && !known.some(({ context }) => context === variant.context))
      .map((variant) => ({ ...variant, class: name }));
    own.push(...copied);
  }
  return {
    ...version,
    rates: { ...rates, [name]: derived },
    tiers: tiers.map((tier) => {
      const above = chooseTier(version, quantity(tier.aboveInputTokens + 1));
      return { ...tier, [name]: effectiveRates(above.rates)[name] };
    }),
    ...(variants === undefined ? {} : { variants: [...variants, ...own] }),
  };
}

/** The classes from which a class derives its rate, nearest first, up to the first one with a rate of its own. */
function sourcesOf(rates: TokenRates, name: TokenClass): TokenClass[] {
  const { rateLike } = TOKEN_CLASSES[name];
  if (rateLike === null || rates[name] !== null) return [];
  return [rateLike, ...sourcesOf(rates, rateLike)];
}
