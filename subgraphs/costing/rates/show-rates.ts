/** Shows a version's rates to people: derived where the card says nothing, as decimal texts. */
import { type Money, plain } from '../../../kernel/money.ts';
import { effectiveRates } from './effective-rates.ts';
import { type RateCardVersion, TOKEN_CLASSES } from './rate-card-version.ts';

export interface ShownRates {
  readonly inputCostPerMillion: Money | null;
  readonly outputCostPerMillion: Money | null;
  readonly cacheCreationCostPerMillion: Money | null;
  readonly cacheCreation1hCostPerMillion: Money | null;
  readonly cacheReadCostPerMillion: Money | null;
  readonly reasoningCostPerMillion: Money | null;
  /** USD by name; `unit` for a card priced per unit alone. */
  readonly unitPrices: Readonly<Record<string, string>>;
  /** Ascending; rates as decimal texts, null where the level below holds. */
  readonly tiers: readonly Readonly<Record<string, number | string | null>>[];
}

export function showRates(version: RateCardVersion): ShownRates {
  const rates = effectiveRates(version.rates);
  return {
    inputCostPerMillion: rates.input,
    outputCostPerMillion: rates.output,
    cacheCreationCostPerMillion: rates.cacheCreation,
    cacheCreation1hCostPerMillion: rates.cacheCreation1h,
    cacheReadCostPerMillion: rates.cacheRead,
    reasoningCostPerMillion: rates.reasoning,
    unitPrices: {
      ...Object.fromEntries(Object.entries(version.unitPrices).map(([name, price]) => [name, plain(price)])),
      ...(version.perUnit === null ? {} : { unit: plain(version.perUnit) }),
    },
    tiers: version.tiers.toSorted((a, b) => a.aboveInputTokens - b.aboveInputTokens).map((tier) => ({
      aboveInputTokens: tier.aboveInputTokens,
      ...Object.fromEntries(TOKEN_CLASSES.map((name) => [name, tier[name] === null ? null : plain(tier[name])])),
    })),
  };
}
