/** Determines whether the seller of a call is only assumed. The price of its rate card is then a guess. */
import { isGateway, UNKNOWN_PROVIDER } from '#usage/names/canonical-provider.ts';
import { chargesPricesOf, HOSTS_WITH_BARE_NAMES, MODEL_OWNERS, SOLE_OWNERS } from '#usage/names/catalogue-providers.ts';
import { isReseller } from '#usage/names/resellers.ts';
import { isNamedByRouter } from '#usage/names/sellers-of-path.ts';
import type { PriceableUsage, PricingCard } from './price-usage.ts';

/** `seller`: the provider that the event names, as a slug; null if it names none. */
export function assumedSeller(
  { provider, model }: Pick<PriceableUsage, 'provider' | 'model'>,
  { providerSlug, isOfCatalogue = false }: PricingCard,
  seller: string | null,
): { readonly assumedHost: string | null; readonly listPriceOf: string | null } {
  // The catalogue has no card of an unknown provider: the card is that of the model's owner.
  const isOfOwner = isOfCatalogue && (seller === UNKNOWN_PROVIDER || (seller === null && isGateway(provider)));
  const isHosted = isOfCatalogue && seller === 'azure' && !chargesPricesOf(seller, providerSlug);
  const isThroughGateway = isOfOwner || isHosted || (isReseller(seller) && providerSlug !== seller);
  // In a name such as `provider/model`, the provider is the seller if a library like LiteLLM wrote the name. Otherwise
  // a router wrote it.
  const isRouted = isOfCatalogue && (provider ?? '').trim() === '' && isNamedByRouter(model);
  return {
    assumedHost: seller === null && (isOneOfSeveral(providerSlug, model) || isRouted) ? providerSlug : null,
    listPriceOf: isThroughGateway ? providerSlug : null,
  };
}

/** True for a provider that is one of several sellers of the model, unless the model's name begins with it. */
function isOneOfSeveral(provider: string | null, model: string): boolean {
  if (provider === null) return false;
  const name = model.toLowerCase();
  if (SOLE_OWNERS[provider]?.test(name)) return true;
  if (MODEL_OWNERS.includes(provider) && !HOSTS_WITH_BARE_NAMES.includes(provider)) return false;
  return !name.startsWith(`${provider}/`);
}
