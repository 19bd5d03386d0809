/**
 * The names under which providers, gateways and frameworks report each class of tokens. To support a new spelling, add
 * a line here.
 */

export type Path = readonly string[];

/** LangChain puts the service tier of a call before the name: `priority_cache_read`. */
function langchainPaths(holder: string, name: string): readonly Path[] {
  return ['', 'flex_', 'priority_'].map((tier) => [holder, `${tier}${name}`]);
}

/** OpenAI's Agents SDK lists the details of each request; LangChain4j has one object. */
function camelDetails(holder: string, ...names: readonly string[]): readonly Path[] {
  return names.flatMap((name) => [
    [holder, name],
    [holder, '0', name],
  ]);
}

/**
 * The documented key first, then the other names in order; the first valid count wins. An OpenTelemetry key is one
 * flat name with dots (decision 4). The top level takes precedence over metadata (decision 9, D5).
 */
export const COUNT_NAMES = {
  cacheRead: [
    ['cache_read_input_tokens'],
    ['gen_ai.usage.cache_read.input_tokens'],
    ['gen_ai.usage.cache_read_input_tokens'],
    ['prompt_tokens_details', 'cached_tokens'],
    ['input_tokens_details', 'cached_tokens'],
    // Bifrost
    ['prompt_tokens_details', 'cached_read_tokens'],
    ['input_tokens_details', 'cached_read_tokens'],
    ['input_token_details', 'cached_tokens'],
    ...langchainPaths('input_token_details', 'cache_read'),
    ['inputTokens', 'cacheRead'],
    ['prompt_cache_hit_tokens'],
    ['cached_prompt_text_tokens'],
    ['cached_tokens'],
    // Codex
    ['cached_input_tokens'],
    // Mistral
    ['num_cached_tokens'],
    ['prompt_token_details', 'cached_tokens'],
    ['cachedContentTokenCount'],
    ['cached_content_token_count'],
    ['cacheReadInputTokens'],
    ['cacheReadInputTokenCount'],
    ['inputTokenDetails', 'cacheReadTokens'],
    ['cachedInputTokens'],
    // Pydantic AI, Microsoft.Extensions.AI, Genkit, OpenAI's Agents SDK, LangChain4j, Gemini's interactions
    ['cache_read_tokens'],
    ['cachedInputTokenCount'],
    ['cachedContentTokens'],
    ...camelDetails('inputTokensDetails', 'cached_tokens', 'cachedTokens'),
    ['total_cached_tokens'],
    ['totalCachedTokens'],
    ['native_tokens_cached'],
    ['llm.token_count.prompt_details.cache_read'],
    // Inspect AI
    ['input_tokens_cache_read'],
  ],
  cacheCreation: [
    ['cache_creation_input_tokens'],
    ['gen_ai.usage.cache_write.input_tokens'],
    ['gen_ai.usage.cache_creation.input_tokens'],
    ['gen_ai.usage.cache_creation_input_tokens'],
    ['prompt_tokens_details', 'cache_write_tokens'],
    ['input_tokens_details', 'cache_write_tokens'],
    ['prompt_tokens_details', 'cache_creation_tokens'],
    ['input_tokens_details', 'cache_creation_tokens'],
    ['prompt_tokens_details', 'cache_creation_input_tokens'],
    // Bifrost
    ['prompt_tokens_details', 'cached_write_tokens'],
    ['input_tokens_details', 'cached_write_tokens'],
    ['input_token_details', 'cache_creation'],
    ['inputTokens', 'cacheWrite'],
    ['cacheWriteInputTokens'],
    // Codex
    ['cache_write_input_tokens'],
    ['cacheWriteInputTokenCount'],
    ['inputTokenDetails', 'cacheWriteTokens'],
    ['cache_write_tokens'],
    ['cacheCreationInputTokens'],
    ...camelDetails('inputTokensDetails', 'cache_write_tokens', 'cacheWriteTokens'),
    ['llm.token_count.prompt_details.cache_write'],
    ['input_tokens_cache_write'],
  ],
  cacheCreation5m: [
    ['cache_creation', 'ephemeral_5m_input_tokens'],
    ['input_token_details', 'ephemeral_5m_input_tokens'],
    ['prompt_tokens_details', 'cache_creation_token_details', 'ephemeral_5m_input_tokens'],
  ],
  cacheCreation1h: [
    ['cache_creation_1h_input_tokens'],
    ['cache_creation', 'ephemeral_1h_input_tokens'],
    ['input_token_details', 'ephemeral_1h_input_tokens'],
    ['prompt_tokens_details', 'cache_creation_token_details', 'ephemeral_1h_input_tokens'],
  ],
  reasoning: [
    ['reasoning_tokens'],
    ['gen_ai.usage.reasoning.output_tokens'],
    ['gen_ai.usage.reasoning_tokens'],
    ['completion_tokens_details', 'reasoning_tokens'],
    ['output_tokens_details', 'reasoning_tokens'],
    ['output_tokens_details', 'thinking_tokens'],
    ...langchainPaths('output_token_details', 'reasoning'),
    ['outputTokens', 'reasoning'],
    ['reasoning_output_tokens'],
    ['thoughtsTokenCount'],
    ['thoughts_token_count'],
    ['outputTokenDetails', 'reasoningTokens'],
    ['reasoningTokens'],
    ['reasoningTokenCount'],
    ['thoughtsTokens'],
    ...camelDetails('outputTokensDetails', 'reasoning_tokens', 'reasoningTokens'),
    ['total_thought_tokens'],
    ['totalThoughtTokens'],
    ['native_tokens_reasoning'],
    ['llm.token_count.completion_details.reasoning'],
  ],
  toolUseInput: [
    ['toolUsePromptTokenCount'],
    ['tool_use_prompt_token_count'],
    ['total_tool_use_tokens'],
    ['totalToolUseTokens'],
    // Mistral: tokens that its tools added to the prompt
    ['connector_tokens'],
  ],
  total: [
    ['total_tokens'],
    ['totalTokenCount'],
    ['total_token_count'],
    ['totalTokens'],
    ['gen_ai.usage.total_tokens'],
    ['llm.token_count.total'],
  ],
} as const satisfies Record<string, readonly Path[]>;

/** Paths of counts divided by modality: an object with OpenAI's names, or a list with Gemini's. */
export const DETAIL_NAMES = {
  input: [
    ['prompt_tokens_details'],
    ['input_tokens_details'],
    ['input_token_details'],
    ['promptTokensDetails'],
    ['promptTokenDetails'],
    ['toolUsePromptTokensDetails'],
    ['tool_use_prompt_tokens_details'],
    ['input_tokens_by_modality'],
    ['inputTokensByModality'],
    ['tool_use_tokens_by_modality'],
    ['toolUseTokensByModality'],
  ],
  output: [
    ['completion_tokens_details'],
    ['output_tokens_details'],
    ['output_token_details'],
    ['candidatesTokensDetails'],
    ['candidates_tokens_details'],
    ['responseTokensDetails'],
    ['response_tokens_details'],
    ['output_tokens_by_modality'],
    ['outputTokensByModality'],
  ],
  cached: [
    ['input_token_details', 'cached_tokens_details'],
    ['input_tokens_details', 'cached_tokens_details'],
    ['prompt_tokens_details', 'cached_tokens_details'],
    ['cacheTokensDetails'],
    ['cache_tokens_details'],
    ['cached_tokens_by_modality'],
    ['cachedTokensByModality'],
  ],
} as const satisfies Record<string, readonly Path[]>;

/** OpenInference's flat names of audio; our own telemetry endpoint writes them as well. */
export const AUDIO_OF_SPANS = {
  input: 'llm.token_count.prompt_details.audio',
  output: 'llm.token_count.completion_details.audio',
  // Audio among the cached tokens, as written by our own endpoint.
  cached: 'gen_ai.usage.cache_read.audio_tokens',
} as const;

/** First key of each of these paths. */
export const COUNT_KEYS: readonly string[] = [...Object.values(COUNT_NAMES), ...Object.values(DETAIL_NAMES)].flatMap(
  (paths: readonly Path[]) => paths.flatMap(([key]) => key ?? []),
);
