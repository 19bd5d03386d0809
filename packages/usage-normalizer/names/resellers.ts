/**
 * Gateways that sell models of others and that the catalogue does not list. A rate card for the gateway states its
 * prices. Without one, the owner's list price applies, and the cost is a guess unless the gateway states it.
 */

/** Providers whose models each gateway sells by their list prices. */
export const RESELLERS: Readonly<Record<string, readonly string[]>> = {
  // vercel.com/docs/ai-gateway/pricing: no markup on the list price of the provider
  vercel: [
    'openai',
    'anthropic',
    'google',
    'mistral',
    'cohere',
    'deepseek',
    'x-ai',
    'perplexity',
    'moonshotai',
    'minimax',
    'voyageai',
    'zai',
  ],
};

export function isReseller(slug: string | null): boolean {
  return slug !== null && Object.hasOwn(RESELLERS, slug);
}
