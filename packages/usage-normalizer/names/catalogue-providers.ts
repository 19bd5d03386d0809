/** The providers of the default price catalogue, with display names (decision 9, D32). */

/** Display names by slug. A test compares the list with the pinned catalogue. */
export const CATALOGUE_PROVIDERS: Readonly<Record<string, string>> = {
  anthropic: 'Anthropic',
  arcee: 'Arcee',
  avian: 'Avian',
  aws: 'AWS Bedrock',
  azure: 'Microsoft Azure',
  baseten: 'Baseten',
  cerebras: 'Cerebras',
  cloudflare: 'Cloudflare Workers AI',
  cohere: 'Cohere',
  cursor: 'Cursor',
  deepseek: 'Deepseek',
  doubleword: 'Doubleword',
  fireworks: 'Fireworks',
  'github-copilot': 'GitHub Copilot',
  google: 'Google',
  groq: 'Groq',
  huggingface_cerebras: 'HuggingFace (cerebras)',
  'huggingface_fireworks-ai': 'HuggingFace (fireworks-ai)',
  huggingface_groq: 'HuggingFace (groq)',
  huggingface_hyperbolic: 'HuggingFace (hyperbolic)',
  huggingface_nebius: 'HuggingFace (nebius)',
  huggingface_novita: 'HuggingFace (novita)',
  huggingface_nscale: 'HuggingFace (nscale)',
  huggingface_ovhcloud: 'HuggingFace (ovhcloud)',
  huggingface_publicai: 'HuggingFace (publicai)',
  huggingface_sambanova: 'HuggingFace (sambanova)',
  huggingface_together: 'HuggingFace (together)',
  minimax: 'MiniMax',
  mistral: 'Mistral',
  modal: 'Modal',
  moonshotai: 'MoonshotAi',
  novita: 'Novita',
  openai: 'OpenAI',
  openrouter: 'OpenRouter',
  ovhcloud: 'OVHcloud AI Endpoints',
  perplexity: 'Perplexity',
  quicksilverpro: 'QuickSilver Pro',
  together: 'Together AI',
  typesafe: 'TypeSafe',
  voyageai: 'Voyage AI',
  'x-ai': 'X AI',
  zai: 'Z.AI',
  zhipuai: 'Zhipu AI',
};

/**
 * Providers that own models, or list them under the bare model name. All others host models of others, and their cards
 * are named `host/model`. Listed in order of preference for events without a provider.
 */
export const MODEL_OWNERS: readonly string[] = [
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
  'zhipuai',
  'voyageai',
  'aws',
  'azure',
  'groq',
];

/**
 * Hosts whose cards have bare model names. Groq hosts models of others. Zhipu AI sells its own models in China, at
 * prices that differ from Z.AI's elsewhere.
 */
export const HOSTS_WITH_BARE_NAMES: readonly string[] = ['groq', 'zhipuai'];

/**
 * Owners whose models nobody else sells at a different price. The pattern matches their openly licensed models, which
 * anyone may host. An unknown provider is assumed to resell a model with such a name.
 */
export const SOLE_OWNERS: Readonly<Record<string, RegExp | null>> = {
  openai: /gpt-oss/,
  anthropic: null,
  google: /gemma/,
  cohere: null,
  'x-ai': /grok-(?:1|2)\b/,
  perplexity: null,
  voyageai: null,
};

/** Providers that sell others' models and have no cards of their own for most of them: the owners' cards apply. */
export const FALLBACK_PROVIDERS: Readonly<Record<string, readonly string[]>> = {
  azure: ['openai', 'anthropic', 'deepseek', 'x-ai', 'moonshotai'],
  google: ['anthropic'],
};

/** True if a provider charges the prices of a model's owner. For models of other owners, its prices are not known. */
export function chargesPricesOf(provider: string | null, owner: string | null): boolean {
  if (provider === null || owner === null) return false;
  return provider === owner || (CHARGES_PRICES_OF[provider]?.includes(owner) ?? false);
}

const CHARGES_PRICES_OF: Readonly<Partial<Record<string, readonly string[]>>> = {
  azure: ['openai', 'anthropic'],
  google: ['anthropic'],
};
