/** The prices of a rate card for a period, in the form used by all pricing rules. */
import type { Money, Quantity } from '#kernel/money.ts';
import { byRate, type TokenClass } from '#schema/token-classes.ts';

/**
 * USD per million tokens for each class. Null if the card does not set a rate for the class (`effective-rates.ts` then
 * derives one). `cacheCreation` is the ordinary (five-minute) cache write.
 */
export type TokenRates = Readonly<Record<TokenClass, Money | null>>;

/**
 * Rates of a call whose total input is strictly above the threshold. A null class keeps the rate of the level below.
 */
export type RateTier = TokenRates & { readonly aboveInputTokens: number };

/**
 * The price of a class, or of every class (`all`), in a pricing context (`tier=batch`) above a number of input tokens.
 * It is a rate, or a factor that multiplies the class's other price. The class may be the name of a unit price
 * (`requests`); `all` does not include unit prices.
 */
export interface RateVariant {
  /** Sorted `key=value` pairs, separated by commas; never empty. */
  readonly context: string;
  /** A token class, `all`, or the name of a unit price. */
  readonly class: string;
  /** 0: any size. */
  readonly aboveInputTokens: number;
  /** USD per million tokens or per unit; null if a factor is set. */
  readonly rate: Money | null;
  readonly factor: Quantity | null;
  /** Where the price is published, for display. */
  readonly source: string;
}

/** One version of a rate card, without the card's id and period, which the caller knows. */
export type RateCardVersion = {
  readonly rates: TokenRates;
  /** In any order. */
  readonly tiers: readonly RateTier[];
  /** In any order; absent if the card has no context-dependent prices. */
  readonly variants?: readonly RateVariant[];
  /** USD per unit for items other than tokens: `web_searches`, `requests`, `storage_searches`, … */
  readonly unitPrices: Readonly<Record<string, Money>>;
  /** USD per unit, for the event's `units`. If set, the card is priced per unit and its token rates do not apply. */
  readonly perUnit: Money | null;
  /** Name of the unit (`page`, `audio_hour`), for display; null if not stated. */
  readonly perUnitName: string | null;
};

/** No rate set for any class; the starting value of drafts. */
export const NO_RATES: TokenRates = byRate(() => null);

/** The unit of a version's rates, in words: `per million tokens`, `per audio hour`, `per unit`. */
export function unitInWords({ perUnit, perUnitName }: RateCardVersion): string {
  if (perUnit === null) return 'per million tokens';
  return `per ${(perUnitName ?? 'unit')
    .replace(/^input_/, '')
    .replace(/s$/, '')
    .replaceAll('_', ' ')}`;
}
