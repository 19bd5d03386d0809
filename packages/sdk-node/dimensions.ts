/**
 * Converts a caller's tags to metadata that the service accepts. An invalid value becomes text or is dropped; the
 * event is kept.
 */

/**
 * Names that the service reads for pricing. A tag with such a name would change the price, so it is refused. Tests
 * compare this list, and the service's own names, with `reserved` in `test/packages/fixtures/provider-bodies.json`.
 */
const RESERVED: ReadonlySet<string> = new Set(
  `
  attachment_searches audio_seconds batch billable_audio_seconds billed_tools billed_units cache_creation
  cache_creation_1h_input_tokens cache_creation_input_tokens cache_read_input_tokens cache_read_tokens
  cache_tokens_details cache_write_input_tokens cache_write_tokens cacheCreationInputTokens cached_content_token_count
  cached_input_tokens cached_prompt_text_tokens cached_tokens cached_tokens_by_modality cachedContentTokenCount
  cachedContentTokens cacheDetails cachedInputTokenCount cachedInputTokens cachedTokensByModality cacheReadInputTokenCount
  cacheReadInputTokens cacheTokensDetails cacheWriteInputTokenCount cacheWriteInputTokens candidates_token_count
  candidates_tokens_details candidatesTokenCount candidatesTokensDetails citation_tokens code_executions
  code_sessions code_sessions_16g code_sessions_4g code_sessions_64g completion_tokens completion_tokens_details
  connector_tokens connectors cost cost_details cost_in_usd_ticks document_pages duration eval_count
  gen_ai.usage.cache_creation.input_tokens gen_ai.usage.cache_creation_input_tokens
  gen_ai.usage.cache_read.audio_tokens gen_ai.usage.cache_read.input_tokens gen_ai.usage.cache_read_input_tokens
  gen_ai.usage.cache_write.input_tokens
  gen_ai.usage.convention gen_ai.usage.input_tokens gen_ai.usage.output_tokens
  gen_ai.usage.reasoning.output_tokens gen_ai.usage.reasoning_tokens gen_ai.usage.total_tokens generated_images
  generated_videos grounded_prompts incomplete inference_geo input_token_details input_tokens_by_modality
  input_tokens_cache_read input_tokens_cache_write
  input_tokens_details inputTokenDetails inputTokens inputTokensByModality inputTokensDetails is_byok iterations
  llm.token_count.completion llm.token_count.completion_details.audio llm.token_count.completion_details.reasoning
  llm.token_count.prompt llm.token_count.prompt_details.audio llm.token_count.prompt_details.cache_read
  llm.token_count.prompt_details.cache_write llm.token_count.total maps_prompts native_tokens_cached
  native_tokens_completion native_tokens_prompt native_tokens_reasoning no_input num_cached_tokens num_search_queries
  num_server_side_tools_used num_sources_used only_total output_token_details output_tokens_by_modality output_tokens_details
  outputTokenDetails outputTokens outputTokensByModality outputTokensDetails page_fetches pages_processed
  performanceConfig plugins premium_searches prompt_audio_seconds prompt_cache_hit_tokens prompt_cache_miss_tokens
  prompt_eval_count prompt_token_count prompt_token_details prompt_tokens prompt_tokens_details promptTokenCount
  promptTokenDetails promptTokensDetails reasoning_output_tokens reasoning_tokens
  reasoningTokenCount reasoningTokens reported_cost reported_tool_cost requests response_token_count response_tokens_details responseTokenCount responseTokensDetails retrieval_prompts
  search_context_size search_queries search_sources search_units server_side_tool_usage_details server_tool_use
  server_tools service_tier serviceTier serving_region speech_requests speed stated_cached_tokens storage_searches
  thoughts_token_count thoughtsTokenCount thoughtsTokens tokenUsage tool_calls_details tool_usage
  tool_use_prompt_token_count tool_use_prompt_tokens_details tool_use_tokens_by_modality toolUsePromptTokenCount
  toolUsePromptTokensDetails toolUseTokensByModality total_cached_tokens total_input_tokens total_output_tokens
  total_thought_tokens total_token_count total_tokens total_tool_use_tokens totalCachedTokens totalInputTokens
  totalOutputTokens totalThoughtTokens totalTokenCount totalTokens totalToolUseTokens traffic_type trafficType
  transcriptions unit units unread_counts unsplit_cache_writes usage usage_info usage_metadata usageMetadata vertex_location
  web_search_previews web_searches x_searches
`
    .trim()
    .split(/\s+/),
);
const DIMENSIONS_MAX = 64;
const BYTES_MAX = 12 * 1024;
const SMALLEST_NUMBER = 1e-308;

/** `report` is called for tags that are left out. */
export function toDimensions(
  dimensions: unknown,
  report: (error: Error) => void,
): Record<string, string | number | boolean> {
  if (dimensions === undefined || dimensions === null) return {};
  if (typeof dimensions !== 'object' || Array.isArray(dimensions)) {
    report(new Error('dimensions must be an object: ignored'));
    return {};
  }
  const kept: [string, string | number | boolean][] = [];
  const reserved: string[] = [];
  const dropped: string[] = [];
  let bytes = 0;
  for (const [name, value] of Object.entries(dimensions)) {
    if (value === undefined || value === null) continue;
    if (RESERVED.has(name)) {
      reserved.push(name);
      continue;
    }
    const tag = toTag(value);
    const size = tag === null ? 0 : new TextEncoder().encode(JSON.stringify([name, tag])).length;
    if (tag === null || kept.length >= DIMENSIONS_MAX || bytes + size > BYTES_MAX) {
      dropped.push(name);
      continue;
    }
    bytes += size;
    kept.push([wellFormed(name), tag]);
  }
  if (reserved.length > 0)
    report(
      new Error(
        `dimensions must not contain ${reserved.join(', ')}: tags never change a price. State tier, speed or geo instead`,
      ),
    );
  if (dropped.length > 0)
    report(new Error(`Values of dimensions that cannot be sent are ignored: ${dropped.join(', ')}`));
  return Object.fromEntries(kept);
}

function toTag(value: unknown): string | number | boolean | null {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number' && (value === 0 || (Number.isFinite(value) && Math.abs(value) >= SMALLEST_NUMBER)))
    return value;
  const text = toText(value);
  return text === null ? null : wellFormed(text);
}

/** Returns null if the value has no text. */
export function toText(value: unknown): string | null {
  try {
    if (typeof value === 'string') return value;
    if (typeof value === 'number' || typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null) return null;
    const { toJSON, toString } = value as { toJSON?: unknown; toString?: unknown };
    if (
      typeof toJSON !== 'function' &&
      typeof toString === 'function' &&
      toString !== Object.prototype.toString &&
      !Array.isArray(value)
    )
      // oxlint-disable-next-line typescript/no-base-to-string -- it has a text of its own
      return String(value);
    const json = JSON.stringify(value) as string | undefined;
    return json === undefined ? null : json.startsWith('"') ? (JSON.parse(json) as string) : json;
  } catch {
    return null;
  }
}

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Removes what databases cannot store as text: NUL and lone surrogates. */
export function wellFormed(text: string): string {
  return text.replaceAll('\0', '').replaceAll(LONE_SURROGATE, '\uFFFD');
}
