/** The content of a rate card version as a single string. */
import { type Money, plain, type Quantity } from '#kernel/money.ts';
import { TOKEN_CLASS_NAMES } from '#schema/token-classes.ts';
import type { RateCardVersion, TokenRates } from '../rate-card-version.ts';

/** Two versions have equal keys if, and only if, they charge the same for the same stated reasons. */
export function versionKey(version: RateCardVersion): string {
  return keyOf(version, true);
}

/** Two versions have equal keys if, and only if, they charge the same. */
export function chargeKey(version: RateCardVersion): string {
  return keyOf(version, false);
}

function keyOf(version: RateCardVersion, withSource: boolean): string {
  const rates = (of: TokenRates) => TOKEN_CLASS_NAMES.map((name) => text(of[name]));
  const tiers = version.tiers.toSorted((a, b) => a.aboveInputTokens - b.aboveInputTokens);
  const units = Object.entries(version.unitPrices).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([
    rates(version.rates),
    tiers.map((tier) => [tier.aboveInputTokens, rates(tier)]),
    units.map(([name, price]) => [name, text(price)]),
    text(version.perUnit),
    version.perUnitName,
    (version.variants ?? [])
      .map((each) => [
        each.context,
        each.class,
        each.aboveInputTokens,
        text(each.rate),
        text(each.factor),
        ...(withSource ? [each.source] : []),
      ])
      .map((each) => JSON.stringify(each))
      .toSorted(),
  ]);
}

function text(value: Money | Quantity | null): string | null {
  return value === null ? null : plain(value);
}
