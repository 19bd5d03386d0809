/** Who sold a call: what breakdowns by provider show (decision 9, D32). */
import { UNKNOWN_PROVIDER } from './canonical-provider.ts';
import { CATALOGUE_PROVIDERS } from './catalogue-providers.ts';

export interface ProviderIdentity {
  /** Id and slug in the catalogue, or `unknown`. */
  readonly id: string;
  readonly slug: string;
  /** As reported, else the catalogue's display name, else `unknown`. */
  readonly name: string;
}

/**
 * `canonical` is the reported provider's slug, `unknown` or null where none was reported; `ofCard` the provider of the card
 * that matched the model, null where none did or it matches any provider.
 */
export function providerIdentity(
  reported: string | null,
  canonical: string | null,
  ofCard: string | null,
): ProviderIdentity {
  const slug = canonical === null || canonical === UNKNOWN_PROVIDER ? (ofCard ?? UNKNOWN_PROVIDER) : canonical;
  const displayName = Object.hasOwn(CATALOGUE_PROVIDERS, slug) ? CATALOGUE_PROVIDERS[slug] : undefined;
  return { id: slug, slug, name: reported ?? displayName ?? slug };
}
