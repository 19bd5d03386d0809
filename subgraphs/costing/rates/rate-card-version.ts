/** What a rate card charges during one stretch of time: the shape that every pricing rule works on. */
import type { Money } from '../../../kernel/money.ts';
import { byRate, type TokenClass } from '../../../schema/token-classes.ts';

/**
 * USD per million tokens, a class each. Null: the card says nothing about the class (see `effective-rates.ts` for what
 * is charged then). `cacheCreation` is the ordinary (five-minute) cache write.
 */
export type TokenRates = Readonly<Record<TokenClass, Money | null>>;

/** Rates of a call whose total input is strictly above the threshold. A null class keeps the rate below. */
export type RateTier = TokenRates & { readonly aboveInputTokens: number };

/**
 * What a class costs in a pricing context (`tier=batch`), or every class (`all`), above a number of input tokens: a rate, or a
 * factor on what the class costs otherwise. The class may be the name of a unit price (`requests`); `all` leaves those out.
 */
export interface RateVariant {
  /** Sorted `key=value` pairs with commas between them; never empty. */
  readonly context: string;
  /** A token class, `all`, or the name of a unit price. */
  readonly class: string;
  /** 0: whatever the size. */
  readonly aboveInputTokens: number;
  /** USD per million tokens, or for one unit; null: a factor. */
  readonly rate: Money | null;
  readonly factor: Money | null;
  /** Where it stands written, for people. */
  readonly source: string;
}

/** One version of a rate card, without its identity: the caller knows which card and which stretch of time. */
export type RateCardVersion = {
  readonly rates: TokenRates;
  /** In any order. */
  readonly tiers: readonly RateTier[];
  /** In any order; absent: the card knows no context. */
  readonly variants?: readonly RateVariant[];
  /** USD for one of each named thing besides the tokens: `web_searches`, `requests`, `storage_searches`, … */
  readonly unitPrices: Readonly<Record<string, Money>>;
  /** USD for one of the event's `units`. Not null: the card is priced per unit and its token rates do not apply. */
  readonly perUnit: Money | null;
  /** What one unit is (`page`, `audio_hour`), for people; null where no one said. */
  readonly perUnitName: string | null;
};

/** A card that says nothing yet: the start for drafts. */
export const NO_RATES: TokenRates = byRate(() => null);

/** What a version's rates are for, in words: `per million tokens`, `per audio hour`, `per unit`. */
export function unitInWords({ perUnit, perUnitName }: RateCardVersion): string {
  if (perUnit === null) return 'per million tokens';
  return `per ${(perUnitName ?? 'unit')
    .replace(/^input_/, '')
    .replace(/s$/, '')
    .replaceAll('_', ' ')}`;
}
