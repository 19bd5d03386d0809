/** The card that a resolved rate prices by. */
import type { ResolvedRate } from '../rates/resolve-rate-card.step.ts';
import type { PricingCard } from './price-usage.ts';

export function pricingCardOf({ match }: Pick<ResolvedRate, 'match'>): PricingCard | null {
  return match === null ? null : { version: match.version.version, providerSlug: match.card.providerSlug };
}
