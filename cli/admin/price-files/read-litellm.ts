/**
 * Reads LiteLLM's `model_prices_and_context_window.json`: USD per token. Field names contain the service tier and the
 * size.
 */
import { isObject, type JsonObject, type PublishedPrice, ratesOf } from './published-price.ts';

const CLASSES: Readonly<Record<string, string>> = {
  input_cost_per_token: 'input',
  output_cost_per_token: 'output',
  cache_read_input_token_cost: 'cache_read',
  cache_creation_input_token_cost: 'cache_creation',
  cache_creation_input_token_cost_above_1hr: 'cache_creation_1h',
  output_cost_per_reasoning_token: 'reasoning',
  input_cost_per_audio_token: 'input_audio',
  output_cost_per_audio_token: 'output_audio',
  input_cost_per_image_token: 'input_image',
  output_cost_per_image_token: 'output_image',
};
const SIZE = /_above_(\d+)k_tokens/;
const CONTEXTS: readonly (readonly [suffix: RegExp, context: string])[] = [
  [/_batches$/, 'tier=batch'],
  [/_flex$/, 'tier=flex'],
  [/_priority$/, 'tier=priority'],
];

export function isLitellm(document: JsonObject): boolean {
  return Object.values(document).some((model) => isObject(model) && typeof model['litellm_provider'] === 'string');
}

export function readLitellm(document: JsonObject): PublishedPrice[] {
  return Object.entries(document).flatMap(([name, value]) => {
    const provider = isObject(value) ? value['litellm_provider'] : null;
    if (name === 'sample_spec' || !isObject(value) || typeof provider !== 'string') return [];
    return pricesOf({ provider, model: withoutRoute(name, provider) }, value);
  });
}

/**
 * Strips the route from `gemini/gemini-3.5-flash`, or from `vertex_ai/claude-opus-4-6` of the provider
 * `vertex_ai-anthropic_models`.
 */
function withoutRoute(name: string, provider: string): string {
  const route = name.slice(0, name.indexOf('/') + 1);
  return route !== '' && `${provider}/`.replace('-', '/').startsWith(route) ? name.slice(route.length) : name;
}

function pricesOf(model: Pick<PublishedPrice, 'provider' | 'model'>, fields: JsonObject): PublishedPrice[] {
  const prices = new Map<string, PublishedPrice>();
  for (const [field, price] of Object.entries(fields)) {
    const size = SIZE.exec(field)?.[1];
    const [suffix, context] = CONTEXTS.find(([end]) => end.test(field)) ?? ['', ''];
    const rates = ratesOf({ [field.replace(SIZE, '').replace(suffix, '')]: price }, CLASSES, 1_000_000);
    if (rates.length === 0) continue;
    const aboveInputTokens = Number(size ?? 0) * 1_000;
    const key = `${aboveInputTokens} ${context}`;
    const known = prices.get(key);
    if (known) known.rates.push(...rates);
    else prices.set(key, { ...model, context, aboveInputTokens, rates });
  }
  return [...prices.values()];
}
