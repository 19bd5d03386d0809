/** The provider that sold a call, as shown in breakdowns by provider (decision 9, D32). */
import { UNKNOWN_PROVIDER } from '#usage/names/canonical-provider.ts';
import { CATALOGUE_PROVIDERS } from '#usage/names/catalogue-providers.ts';

export interface ProviderIdentity {
  /** Id and slug in the catalogue, or `unknown`. */
  readonly id: string;
  readonly slug: string;
  /** As reported, else the catalogue's display name, else `unknown`. */
  readonly name: string;
}

/**
 * `canonical` is the slug of the reported provider, `unknown`, or null if none was reported. `ofCard` is the provider
 * of the matched card; null if no card matched or the card applies to any provider.
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
