/** Finds prices of rate cards by model and token class. */
import type { TokenClass } from '#schema/token-classes.ts';
import type { Group } from './compared-group.ts';
import type { KnownPrice } from './own-charge.ts';

export interface KnownPrices {
  of(group: Group, tokenClass: TokenClass): readonly KnownPrice[];
}

export function knownPrices(prices: readonly KnownPrice[], keyOf: (name: string) => string): KnownPrices {
  const byKey = Map.groupBy(prices, ({ model, tokenClass }) => `${keyOf(model)}/${tokenClass}`);
  return { of: ({ key }, tokenClass) => byKey.get(`${key}/${tokenClass}`) ?? [] };
}

/** True if the price is in force on a day, `YYYY-MM-DD`. */
export function appliesOn({ from, until }: KnownPrice, day: string): boolean {
  return (from === null || from <= day) && (until === null || day < until);
}
