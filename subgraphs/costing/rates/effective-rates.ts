/** Resolves what each token class costs on a level of a card: the "derived rate" of the rate estimation table. */
import type { Money } from '../../../kernel/money.ts';
import { byRate, TOKEN_CLASSES, type TokenClass } from '../../../schema/token-classes.ts';
import type { TokenRates } from './rate-card-version.ts';

/**
 * A missing cache rate is the input rate, a missing reasoning rate the output rate, a missing one-hour write the
 * ordinary write; null only where the parent is null too. Fixed multipliers would be wrong for several current models.
 */
export function effectiveRates(rates: TokenRates): TokenRates {
  const found = known.get(rates);
  if (found) return found;
  const rateOf = (name: TokenClass): Money | null => {
    const { rateLike } = TOKEN_CLASSES[name];
    // A card that prices pictures apart means the cached ones too.
    if (name === 'cacheReadImage' && rates.inputImage !== null) return rates[name] ?? rates.inputImage;
    return rates[name] ?? (rateLike === null ? null : rateOf(rateLike));
  };
  const effective = byRate(rateOf);
  known.set(rates, effective);
  return effective;
}

/** The rates of a version price many events. */
const known = new WeakMap<TokenRates, TokenRates>();
