/** Reads the providers that the path of a model's name contains, such as `anthropic` in `anthropic/claude-opus-5`. */
import { canonicalProvider, UNKNOWN_PROVIDER } from './canonical-provider.ts';
import { HOSTS_WITH_BARE_NAMES, MODEL_OWNERS } from './catalogue-providers.ts';

/** Slugs in the order of the path. `model` is in lower case. */
export function sellersOfPath(model: string): readonly string[] {
  if (!model.includes('/')) return NO_SELLERS;
  const path = model.split('/').slice(0, -1);
  return path.flatMap((part) => {
    const slug = canonicalProvider(part);
    return slug === null || slug === UNKNOWN_PROVIDER ? [] : [slug];
  });
}

const NO_SELLERS: readonly string[] = [];

/** Owners that are no hosts of other vendors' models, under which OpenRouter and other routers list them. */
const VENDORS: ReadonlySet<string> = new Set([
  ...MODEL_OWNERS.filter((slug) => !HOSTS_WITH_BARE_NAMES.includes(slug) && slug !== 'aws' && slug !== 'azure'),
  'zai',
]);

/** True for names such as `moonshotai/kimi-k2.6`: the name's vendor is usually not the seller. */
export function isNamedByRouter(model: string): boolean {
  const parts = model.toLowerCase().split('/');
  if (parts.length !== 2) return false;
  const vendor = canonicalProvider(parts[0]);
  return vendor !== null && VENDORS.has(vendor);
}

/** True for a provider whose card states a list price of models of its own. */
export function isOwner(slug: string): boolean {
  return slug === 'zai' || MODEL_OWNERS.includes(slug);
}
