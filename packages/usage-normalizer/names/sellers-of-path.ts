/** Reads the providers that the path of a model's name contains, such as `anthropic` in `anthropic/claude-opus-5`. */
import { canonicalProvider, UNKNOWN_PROVIDER } from './canonical-provider.ts';
import { MODEL_OWNERS, SOLE_OWNERS } from './catalogue-providers.ts';

/**
 * Slugs in the order of the path. `model` is in lower case. The owner of an openly licensed model is not a seller:
 * `openai/gpt-oss-120b` has no price of OpenAI.
 */
export function sellersOfPath(model: string): readonly string[] {
  if (!model.includes('/')) return NO_SELLERS;
  const path = model.split('/').slice(0, -1);
  return path.flatMap((part) => {
    const slug = canonicalProvider(part);
    const isSeller = slug !== null && slug !== UNKNOWN_PROVIDER && !isOpenlyLicensed(slug, model);
    return isSeller ? [slug] : [];
  });
}

const NO_SELLERS: readonly string[] = [];

/** Providers that host models of others, besides their own. */
const HOSTS: readonly string[] = ['aws', 'azure', 'groq'];

/** True for names such as `moonshotai/kimi-k2.6`: a router uses the vendor's name, and may charge another price. */
export function isNamedByRouter(model: string): boolean {
  const parts = model.toLowerCase().split('/');
  if (parts.length !== 2) return false;
  const vendor = canonicalProvider(parts[0]);
  return vendor !== null && isOwner(vendor) && !HOSTS.includes(vendor);
}

/** True for a provider that may serve a gateway's call at its list price. */
export function hasListPrice(slug: string, model: string): boolean {
  return isOwner(slug) && slug !== 'groq' && !isOpenlyLicensed(slug, model);
}

function isOwner(slug: string): boolean {
  return slug === 'zai' || MODEL_OWNERS.includes(slug);
}

function isOpenlyLicensed(slug: string, model: string): boolean {
  return SOLE_OWNERS[slug]?.test(model) === true;
}
