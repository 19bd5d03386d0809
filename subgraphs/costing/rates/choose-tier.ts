/**
 * Chooses the rates of a call by its input size. The highest tier reached applies to all tokens of the call: tiers are
 * not graduated.
 */
import type { Quantity } from '#kernel/money.ts';
import { byRate } from '#schema/token-classes.ts';
import type { RateCardVersion, TokenRates } from './rate-card-version.ts';

/** `aboveInputTokens` is the threshold of the highest tier crossed; null on the base level. */
export type ChosenTier = { readonly aboveInputTokens: number | null; readonly rates: TokenRates };

/**
 * A tier applies to every class of the call when the total input lies strictly above its threshold. A class that a tier
 * leaves out keeps the rate of the level below: the highest crossed tier with a rate for the class decides.
 */
export function chooseTier(version: Pick<RateCardVersion, 'rates' | 'tiers'>, totalInput: Quantity): ChosenTier {
  const levels = known.get(version) ?? levelsOf(version);
  known.set(version, levels);
  let chosen = levels[0]!;
  for (const level of levels)
    if (level.aboveInputTokens !== null && totalInput.gt(level.aboveInputTokens)) chosen = level;
  return chosen;
}

/** Cached, since one version prices many events. */
const known = new WeakMap<object, readonly ChosenTier[]>();

/** The base level, then each tier in ascending order, with the rates inherited from the level below. */
function levelsOf({ rates, tiers }: Pick<RateCardVersion, 'rates' | 'tiers'>): readonly ChosenTier[] {
  const levels: ChosenTier[] = [{ aboveInputTokens: null, rates }];
  for (const { aboveInputTokens, ...own } of tiers.toSorted((a, b) => a.aboveInputTokens - b.aboveInputTokens))
    levels.push({ aboveInputTokens, rates: over(own, levels.at(-1)!.rates) });
  return levels;
}

function over(tier: TokenRates, below: TokenRates): TokenRates {
  return byRate((name) => tier[name] ?? below[name]);
}
