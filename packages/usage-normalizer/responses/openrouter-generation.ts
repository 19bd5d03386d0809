/**
 * OpenRouter's record of a generation (`GET /api/v1/generation`): native counts are billed, `tokens_prompt` and
 * `tokens_completion` are not. Converted to the usage object of OpenRouter's responses, so a call that is reported by
 * both is the same event with the same counts.
 */
import type { Fields } from '#kernel/json/json-object.ts';

/** Names of the fields in the API, and in OpenRouter's TypeScript SDK. */
const NAMES = {
  input: ['native_tokens_prompt', 'nativeTokensPrompt'],
  output: ['native_tokens_completion', 'nativeTokensCompletion'],
  cached: ['native_tokens_cached', 'nativeTokensCached'],
  reasoning: ['native_tokens_reasoning', 'nativeTokensReasoning'],
  images: ['native_tokens_completion_images', 'nativeTokensCompletionImages'],
  cost: ['total_cost', 'totalCost'],
  upstreamCost: ['upstream_inference_cost', 'upstreamInferenceCost'],
  isByok: ['is_byok', 'isByok'],
} as const;

/** True for a record with native counts, even if they are null. */
export function isGeneration(fields: Fields): boolean {
  return [...NAMES.input, ...NAMES.output].some((name) => fields[name] !== undefined);
}

/** Null if the object is not a record of a generation. */
export function generationUsage(fields: Fields): Fields | null {
  if (!isGeneration(fields)) return null;
  const of = (names: readonly string[]) => names.map((name) => fields[name]).find((value) => value !== undefined);
  return {
    prompt_tokens: of(NAMES.input),
    completion_tokens: of(NAMES.output),
    prompt_tokens_details: { cached_tokens: of(NAMES.cached) },
    completion_tokens_details: { reasoning_tokens: of(NAMES.reasoning), image_tokens: of(NAMES.images) },
    cost: of(NAMES.cost),
    is_byok: of(NAMES.isByok) ?? false,
    cost_details: { upstream_inference_cost: of(NAMES.upstreamCost) },
  };
}
