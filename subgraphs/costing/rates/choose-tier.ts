/** Chooses the rates of a call by the size of its input: a cliff, never a graduation. */
import type { Quantity } from '../../../kernel/money.ts';
import { byRate } from '../../../schema/token-classes.ts';
import type { RateCardVersion, TokenRates } from './rate-card-version.ts';

/** `aboveInputTokens` is the threshold of the highest tier crossed; null on the base level. */
export type ChosenTier = { readonly aboveInputTokens: number | null; readonly rates: TokenRates };

/**
 * A tier applies to every class of the call when the total input lies strictly above its threshold. A class that a
 * tier leaves out keeps the rate of the level below: the highest crossed tier that names the class decides it.
 */
export function chooseTier(version: Pick<RateCardVersion, 'rates' | 'tiers'>, totalInput: Quantity): ChosenTier {
  return version.tiers
    .filter((tier) => totalInput.gt(tier.aboveInputTokens))
    .toSorted((a, b) => a.aboveInputTokens - b.aboveInputTokens)
    .reduce<ChosenTier>(
      (below, { aboveInputTokens, ...rates }) => ({ aboveInputTokens, rates: over(rates, below.rates) }),
      { aboveInputTokens: null, rates: version.rates },
    );
}

function over(tier: TokenRates, below: TokenRates): TokenRates {
  return byRate((name) => tier[name] ?? below[name]);
}
