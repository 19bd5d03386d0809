/** Resolves what each token class costs on a level of a card: the "derived rate" of the rate estimation table. */
import type { Money } from '../../../kernel/money.ts';
import { byRate, TOKEN_CLASSES, type TokenClass } from '../../../schema/token-classes.ts';
import type { TokenRates } from './rate-card-version.ts';

/**
 * A missing cache rate is the input rate, a missing reasoning rate the output rate, a missing one-hour write the
 * ordinary write; null only where the parent is null too. Fixed multipliers would be wrong for several current models.
 */
export function effectiveRates(rates: TokenRates): TokenRates {
  const rateOf = (name: TokenClass): Money | null => {
    const { rateLike } = TOKEN_CLASSES[name];
    return rates[name] ?? (rateLike === null ? null : rateOf(rateLike));
  };
  return byRate(rateOf);
}
