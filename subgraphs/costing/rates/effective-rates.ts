/**
 * Resolves the rate of each token class on one level of a card. Implements the "derived rate" of the rate estimation
 * table.
 */
import type { Money } from '#kernel/money.ts';
import { byRate, TOKEN_CLASSES, type TokenClass } from '#schema/token-classes.ts';
import type { TokenRates } from './rate-card-version.ts';

/**
 * A missing cache rate defaults to the input rate, a missing reasoning rate to the output rate, and a missing one-hour
 * cache write rate to the ordinary write rate. A rate is null only if its parent is null too. Fixed multipliers would
 * be wrong for several current models.
 */
export function effectiveRates(rates: TokenRates): TokenRates {
  const found = known.get(rates);
  if (found) return found;
  const rateOf = (name: TokenClass): Money | null => {
    const { rateLike } = TOKEN_CLASSES[name];
    // A separate image rate on a card also applies to cached image tokens.
    if (name === 'cacheReadImage' && rates.inputImage !== null) return rates[name] ?? rates.inputImage;
    return rates[name] ?? (rateLike === null ? null : rateOf(rateLike));
  };
  const effective = byRate(rateOf);
  known.set(rates, effective);
  return effective;
}

/** Cached, since the rates of one version price many events. */
const known = new WeakMap<TokenRates, TokenRates>();
