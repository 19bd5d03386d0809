/**
 * What an event carries of a provider's own usage object at its top level: `{...response.usage}`, `usage: response.usage`, or
 * single fields. It is kept next to the event's own fields, for the price depends on it.
 */
import { isCount } from './event-field.ts';
import { COUNT_KEYS } from './usage-names.ts';

/** Objects of a response that hold its usage, at the top level of an event or in its metadata. */
export const USAGE_CONTAINERS: readonly string[] = [
  'usage',
  'usageMetadata',
  'usage_metadata',
  'tokenUsage',
  'usage_info',
  'billed_units',
];

/** Fields of an event of their own, which a usage object may contain as well. */
export const DOCUMENTED_KEYS: ReadonlySet<string> = new Set([
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'reasoning_tokens',
]);

/** Names in a usage object that say what a call consumed. */
export const USAGE_KEYS: ReadonlySet<string> = new Set([
  ...USAGE_CONTAINERS,
  ...COUNT_KEYS.filter((key) => !DOCUMENTED_KEYS.has(key)),
  // Anthropic, and what everyone took over from it
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
  // What was done besides producing tokens, by the name of its fee: what our own endpoints count in the body of a response, and the counts of OpenAI, xAI,
  // Mistral and Perplexity
  'billed_tools',
  'tool_usage',
  'server_side_tool_usage_details',
  'num_server_side_tools_used',
  'connectors',
  'connector_tokens',
  'tool_calls_details',
  // Where it was served, as our own endpoints read it
  'serving_region',
  'vertex_location',
  // Mistral
  'prompt_audio_seconds',
  // What a vendor says it cost: kept and compared, never booked
  'cost',
  'cost_details',
  'cost_in_usd_ticks',
  'is_byok',
  'num_sources_used',
  'citation_tokens',
  // Gemini, in both spellings of its SDKs
  'promptTokenCount',
  'candidatesTokenCount',
  'toolUsePromptTokenCount',
  // Of its Live API
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
  // Written by our own door for telemetry: whether its sender's cached tokens come on top of the input.
  'gen_ai.usage.convention',
  'llm.token_count.prompt',
  'llm.token_count.completion',
  'llm.token_count.prompt_details.audio',
  'llm.token_count.completion_details.audio',
]);

/** Names that say something only at the top level, or next to others: in a caller's own metadata they may be anything. */
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

/** Only counts, names and what holds them: nothing of it is text of a caller. Null: the item carries none. */
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

/** Likely slips: of an event's own fields. */
const NEXT_TO_PROMPT: ReadonlySet<string> = new Set(['cached_tokens', 'cost']);

/** Of an item of a request: a name that is also a likely slip counts only next to what it comes with. */
export function isUsageKey(key: string, item: object): boolean {
  if (KEYS_OF_A_CALL.has(key)) return true;
  return USAGE_KEYS.has(key) && (!NEXT_TO_PROMPT.has(key) || Object.hasOwn(item, 'prompt_tokens'));
}

/** Undefined: nothing that a price could depend on. */
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
