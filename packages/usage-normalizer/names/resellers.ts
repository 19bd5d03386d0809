/**
 * Gateways that sell models of others and that the catalogue does not list. A rate card for the gateway states its
 * prices. Without one, the owner's list price applies, and the cost is a guess unless the gateway states it.
 */
import { HOSTS_WITH_BARE_NAMES, MODEL_OWNERS } from './catalogue-providers.ts';

/** Providers that mostly host models of others. */
const HOSTS: readonly string[] = ['aws', 'azure', ...HOSTS_WITH_BARE_NAMES];

/** Providers whose models each gateway sells at their list prices. */
export const RESELLERS: Readonly<Record<string, readonly string[]>> = {
  // vercel.com/docs/ai-gateway/pricing: no markup on the list price of the provider
  vercel: [...MODEL_OWNERS.filter((owner) => !HOSTS.includes(owner)), 'zai'],
};

export function isReseller(slug: string | null): boolean {
  return slug !== null && Object.hasOwn(RESELLERS, slug);
}
