/** Resolves what each token class costs on a level of a card: the "derived rate" of the rate estimation table. */
import type { TokenRates } from './rate-card-version.ts';

/**
 * A missing cache rate is the input rate, a missing reasoning rate the output rate, a missing one-hour write the
 * ordinary write; null only where the parent is null too. Fixed multipliers would be wrong for several current models.
 */
export function effectiveRates(rates: TokenRates): TokenRates {
  const cacheCreation = rates.cacheCreation ?? rates.input;
  return {
    input: rates.input,
    output: rates.output,
    cacheCreation,
    cacheCreation1h: rates.cacheCreation1h ?? cacheCreation,
    cacheRead: rates.cacheRead ?? rates.input,
    reasoning: rates.reasoning ?? rates.output,
  };
}
