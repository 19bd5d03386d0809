/** Rate cards and their versions as returned to callers. */
import type { OrganizationId } from '#kernel/ids.ts';
import { nodeIdOf } from '#kernel/node-id.ts';
import { plain } from '#kernel/money.ts';
import { TOKEN_CLASS_NAMES, wireName } from '#schema/token-classes.ts';
import type { RateCard, RateCardPrice, RateCardVersion as VersionView } from '../resolvers.generated.ts';
import { type RateCardVersion, type TokenRates, unitInWords } from './rate-card-version.ts';
import type { DatedVersion, RatedCard } from './rated-card.query.ts';

/** `organizationId`: the caller's, even for a standard card. `current`: the version in force. */
export function toRateCardView(
  organizationId: OrganizationId,
  card: RatedCard,
  current: DatedVersion | null,
): RateCard {
  const versions = card.versions.toReversed().map(toVersionView);
  return {
    id: nodeIdOf('RateCard', organizationId, card.id),
    rateCardId: card.id,
    modelSlug: card.modelSlug,
    providerSlug: card.providerSlug,
    isNegotiated: card.organizationId !== null,
    isPrefix: card.matchKind === 'prefix',
    names: [...card.names].sort(),
    inForce: versions.find(({ id }) => id === current?.id) ?? null,
    versions,
  };
}

export function toVersionView({ id, fromMs, toMs, version }: DatedVersion): VersionView {
  return {
    id,
    effectiveFrom: fromMs === null ? null : new Date(fromMs),
    effectiveTo: toMs === null ? null : new Date(toMs),
    unit: unitInWords(version),
    prices: [...tokenPrices(version.rates), ...unitPricesOf(version)],
    ...sizesAndContexts(version),
  };
}

/** Unit prices by name; the name is `unit` for a card that is only priced per unit. */
export function unitPricesOf({ perUnit, unitPrices }: RateCardVersion): RateCardPrice[] {
  return [
    ...(perUnit === null ? [] : [{ name: 'unit', price: plain(perUnit) }]),
    ...Object.entries(unitPrices).map(([name, price]) => ({ name, price: plain(price) })),
  ];
}

/** Prices above a number of input tokens, in ascending order, and prices in pricing contexts. */
export function sizesAndContexts(version: RateCardVersion): Pick<VersionView, 'tiers' | 'contexts'> {
  return {
    tiers: version.tiers
      .toSorted((one, other) => one.aboveInputTokens - other.aboveInputTokens)
      .map((tier) => ({ aboveInputTokens: tier.aboveInputTokens, prices: tokenPrices(tier) })),
    contexts: (version.variants ?? []).map(({ rate, factor, ...variant }) => ({
      ...variant,
      rate: rate === null ? null : plain(rate),
      factor: factor === null ? null : plain(factor),
    })),
  };
}

/** Prices of the token classes for which the version sets a rate. */
function tokenPrices(rates: TokenRates): RateCardPrice[] {
  return TOKEN_CLASS_NAMES.flatMap((name) => {
    const rate = rates[name];
    return rate === null ? [] : [{ name: wireName(name), price: plain(rate) }];
  });
}
