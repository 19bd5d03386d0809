/**
 * The parts of a provider's own usage object at an event's top level: `{...response.usage}`, `usage: response.usage`,
 * or single fields. They are stored next to the event's own fields, because the price depends on them.
 */
import { isCount } from '#kernel/json/json-field.ts';
import { AUDIO_OF_SPANS, COUNT_KEYS } from './usage-names.ts';

/** Objects of a response that contain its usage, at the top level of an event or in its metadata. */
export const USAGE_CONTAINERS: readonly string[] = [
  'usage',
  'usageMetadata',
  'usage_metadata',
  'tokenUsage',
  'usage_info',
  'billed_units',
];

/** Documented fields of an event that a usage object may contain as well. */
export const DOCUMENTED_KEYS: ReadonlySet<string> = new Set([
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'reasoning_tokens',
]);

/** Names in a usage object that describe a call's consumption. */
export const USAGE_KEYS: ReadonlySet<string> = new Set([
  ...USAGE_CONTAINERS,
  ...COUNT_KEYS.filter((key) => !DOCUMENTED_KEYS.has(key)),
  // Anthropic, and APIs that adopted its names
  'server_tool_use',
  // How a call was served
  'service_tier',
  'serviceTier',
  'inference_geo',
  'trafficType',
  'traffic_type',
  'performanceConfig',
  'search_context_size',
  // OpenAI: chat, responses, images, realtime
  'prompt_tokens',
  'completion_tokens',
  // DeepSeek, Moonshot, xAI, Perplexity
  'prompt_cache_miss_tokens',
  'num_search_queries',
  // Tools used, by the name of their fee: counts that our own endpoints take from the body of a response, and those of
  // OpenAI, xAI, Mistral and Perplexity
  'billed_tools',
  'tool_usage',
  'server_side_tool_usage_details',
  'num_server_side_tools_used',
  'connectors',
  'connector_tokens',
  'tool_calls_details',
  // Where it was served, as read by our own endpoints
  'serving_region',
  'vertex_location',
  // Mistral
  'prompt_audio_seconds',
  // Costs stated by vendors: stored and compared, never booked
  'cost',
  'cost_details',
  'cost_in_usd_ticks',
  'is_byok',
  'num_sources_used',
  'citation_tokens',
  // OpenRouter's record of a generation, and Ollama
  'native_tokens_prompt',
  'native_tokens_completion',
  'prompt_eval_count',
  'eval_count',
  // Gemini, in both spellings of its SDKs
  'promptTokenCount',
  'candidatesTokenCount',
  'toolUsePromptTokenCount',
  // Gemini's interactions
  'total_input_tokens',
  'total_output_tokens',
  'totalInputTokens',
  'totalOutputTokens',
  // Gemini's Live API
  'responseTokenCount',
  'response_token_count',
  'prompt_token_count',
  'candidates_token_count',
  'tool_use_prompt_token_count',
  // Bedrock's Converse, and the Vercel AI SDK
  'cacheDetails',
  // OpenTelemetry and OpenInference
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.output_tokens',
  // Shows whether the sender's cached tokens are added to the input. Written by our own telemetry endpoint.
  'gen_ai.usage.convention',
  // The request's statement about cached tokens. Written by our own endpoints.
  'stated_cached_tokens',
  'llm.token_count.prompt',
  'llm.token_count.completion',
  ...Object.values(AUDIO_OF_SPANS),
]);

/**
 * Names that are only meaningful at the top level, or next to others: in a caller's own metadata they may mean
 * anything.
 */
const KEYS_OF_A_CALL: ReadonlySet<string> = new Set([
  'speed',
  'batch',
  'iterations',
  'unit',
  'audio_seconds',
  'billable_audio_seconds',
  'duration',
]);

const DEPTH_MAX = 4;
const ITEMS_MAX = 64;
const NAME = /^[\w.:/-]{1,64}$/;

/** Only counts, names and the objects that contain them, never a caller's text. Null if the item has none. */
export function providerUsageOf(
  item: Readonly<Record<string, unknown>>,
  keys: readonly string[] = Object.keys(item),
): Readonly<Record<string, unknown>> | null {
  const found: Record<string, unknown> = {};
  let isEmpty = true;
  for (const key of keys) {
    const value = isUsageKey(key, item) ? usageValue(item[key], DEPTH_MAX) : undefined;
    if (value === undefined) continue;
    found[key] = value;
    isEmpty = false;
  }
  return isEmpty ? null : found;
}

/** Names that may also be typos of an event's own fields. */
const NEXT_TO_PROMPT: ReadonlySet<string> = new Set(['cached_tokens', 'cost']);

/**
 * True if the key of a request item belongs to a usage object. A name that may also be a typo of another field counts
 * only if its related fields are present.
 */
export function isUsageKey(key: string, item: object): boolean {
  if (KEYS_OF_A_CALL.has(key)) return true;
  return USAGE_KEYS.has(key) && (!NEXT_TO_PROMPT.has(key) || Object.hasOwn(item, 'prompt_tokens'));
}

/** Undefined if a price cannot depend on the value. */
function usageValue(value: unknown, levels: number): unknown {
  if (typeof value === 'boolean' || isCount(value)) return value;
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value : undefined;
  if (typeof value === 'string') return NAME.test(value) ? value : undefined;
  if (typeof value !== 'object' || value === null || levels === 0) return undefined;
  if (Array.isArray(value)) return value.slice(0, ITEMS_MAX).flatMap((each) => usageValue(each, levels - 1) ?? []);
  const entries = Object.entries(value)
    .slice(0, ITEMS_MAX)
    .flatMap(([key, inner]): [string, unknown][] => {
      const kept = NAME.test(key) ? usageValue(inner, levels - 1) : undefined;
      return kept === undefined ? [] : [[key, kept]];
    });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
