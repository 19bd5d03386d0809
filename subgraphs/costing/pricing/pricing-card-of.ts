/** Converts a resolved rate to the card that prices an event. */
import type { ResolvedRate } from '../rates/resolved-rate.ts';
import type { PricingCard } from './price-usage.ts';

/** Null if no rate card matches. */
export function pricingCardOf({
  match,
  others,
  unknownAtBase = false,
  cachedTokensRules = [],
}: Pick<ResolvedRate, 'match' | 'others' | 'unknownAtBase' | 'cachedTokensRules'>): PricingCard | null {
  if (match === null) return null;
  const card = {
    version: match.version.version,
    discounts: match.discounts,
    providerSlug: match.card.providerSlug,
    modelSlug: match.card.modelSlug,
    isOfCatalogue: match.card.organizationId === null && match.card.matchKind === 'catalogue',
    unknownAtBase,
    cachedTokensRules,
  };
  if (others === undefined) return card;
  return {
    ...card,
    others: new Map([...others].map(([model, other]) => [model, pricingCardOf({ match: other })])),
  };
}
