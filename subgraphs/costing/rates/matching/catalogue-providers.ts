/** The providers of the default price catalogue, with the names that people read (decision 9, D32). */

/** Slug to display name. A test holds it equal to the pinned catalogue. */
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
 * Those who own models or price them under the model's bare name; every other provider is a host of others' models,
 * and its cards are named `host/model`. The order is the preference when an event names no provider.
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
 * Those whose models no one else sells at a price of its own, and the names of theirs that anyone may run: a provider that no one
 * knows resells what is sold under such a name.
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

/** Providers that sell others' models at the owners' prices; the catalogue lists only their exceptions. */
export const FALLBACK_PROVIDERS: Readonly<Record<string, readonly string[]>> = {
  azure: ['openai', 'anthropic', 'deepseek', 'x-ai', 'moonshotai'],
  google: ['anthropic'],
};
