/** The content of a rate-card version as one text: two versions charge the same exactly when their keys are equal. */
import { plain } from '../../../../kernel/money.ts';
import type { Money } from '../../../../kernel/money.ts';
import { TOKEN_CLASSES } from '../rate-card-version.ts';
import type { RateCardVersion, TokenRates } from '../rate-card-version.ts';

export function versionKey(version: RateCardVersion): string {
  const rates = (of: TokenRates) => TOKEN_CLASSES.map((name) => text(of[name]));
  const tiers = version.tiers.toSorted((a, b) => a.aboveInputTokens - b.aboveInputTokens);
  const units = Object.entries(version.unitPrices).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([
    rates(version.rates),
    tiers.map((tier) => [tier.aboveInputTokens, rates(tier)]),
    units.map(([name, price]) => [name, text(price)]),
    text(version.perUnit),
    version.perUnitName,
  ]);
}

function text(amount: Money | null): string | null {
  return amount === null ? null : plain(amount);
}
