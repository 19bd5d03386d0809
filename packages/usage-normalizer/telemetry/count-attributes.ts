/**
 * Attributes that count tokens. Libraries put the same counts under several prefixes: Semantic Kernel, Portkey and
 * early versions of Microsoft.Extensions.AI use `gen_ai.response.`, others `llm.`.
 */

const PREFIXES: readonly string[] = [
  'gen_ai.usage.',
  'gen_ai.response.usage.',
  'gen_ai.response.',
  'llm.usage.',
  'llm.response.usage.',
  'llm.',
];

/** Each name with every prefix; names of the current conventions come first. */
function below(...names: readonly string[]): string[] {
  return PREFIXES.flatMap((prefix) => names.map((name) => `${prefix}${name}`));
}

export const COUNT_ATTRIBUTES = {
  input: [
    'ai.usage.inputTokens',
    'ai.usage.promptTokens',
    ...below('input_tokens', 'prompt_tokens'),
    'llm.token_count.prompt',
    // Sentry's first names.
    'ai.prompt_tokens.used',
    'ai.usage.tokens',
    'input_tokens',
    'prompt_tokens',
    'input_token_count',
  ],
  output: [
    'ai.usage.outputTokens',
    'ai.usage.completionTokens',
    ...below('output_tokens', 'completion_tokens'),
    'llm.token_count.completion',
    'ai.completion_tokens.used',
    'output_tokens',
    'completion_tokens',
    'output_token_count',
  ],
  cacheRead: [
    'ai.usage.inputTokenDetails.cacheReadTokens',
    'ai.usage.cachedInputTokens',
    ...below(
      'cache_read.input_tokens',
      'cache_read_input_tokens',
      'input_tokens.cached',
      'prompt_tokens_details.cache_read',
      'prompt_tokens_details.cached_tokens',
      'input_tokens_details.cached_tokens',
      'input_token_details.cache_read',
      'details.cache_read_tokens',
      'details.cache_read_input_tokens',
      'details.cached_tokens',
      'cache_read_tokens',
      'cached_tokens',
      'cached_input_tokens',
      'input_cached_tokens',
      'cached_prompt_tokens',
      'experimental.cached_tokens',
    ),
    'llm.token_count.prompt_details.cache_read',
    'input_tokens.cached',
    'cache_read_tokens',
    'cached_token_count',
  ],
  cacheWrite: [
    'ai.usage.inputTokenDetails.cacheWriteTokens',
    ...below(
      'cache_write.input_tokens',
      'cache_creation.input_tokens',
      'cache_creation_input_tokens',
      'input_tokens.cache_write',
      'prompt_tokens_details.cache_write',
      'input_token_details.cache_creation',
      'details.cache_write_tokens',
      'details.cache_creation_input_tokens',
      'cache_write_tokens',
      'cache_creation_tokens',
      'cache_write_input_tokens',
    ),
    'llm.token_count.prompt_details.cache_write',
    'cache_creation_tokens',
    'cache_write_token_count',
  ],
  cacheWrite1h: [
    'gen_ai.usage.cache_creation_1h_input_tokens',
    'gen_ai.usage.cache_creation.ephemeral_1h_input_tokens',
    'cache_creation_1h_tokens',
    'cache_creation_1h_input_tokens',
    'ephemeral_1h_input_tokens',
    'cache_creation.ephemeral_1h_input_tokens',
  ],
  reasoning: [
    'ai.usage.outputTokenDetails.reasoningTokens',
    'ai.usage.reasoningTokens',
    ...below(
      'reasoning.output_tokens',
      'reasoning_tokens',
      'output_tokens.reasoning',
      'completion_tokens_details.reasoning',
      'completion_tokens_details.reasoning_tokens',
      'output_tokens_details.reasoning_tokens',
      'output_token_details.reasoning',
      'details.reasoning_tokens',
    ),
    'llm.token_count.completion_details.reasoning',
    'output_tokens.reasoning',
    'reasoning_token_count',
  ],
  // Pipecat; LiveKit; Pydantic AI; OpenInference
  inputAudio: [
    ...below('audio.input_tokens', 'input_audio_tokens', 'details.input_audio_tokens'),
    'llm.token_count.prompt_details.audio',
  ],
  outputAudio: [
    ...below('audio.output_tokens', 'output_audio_tokens', 'details.output_audio_tokens'),
    'llm.token_count.completion_details.audio',
  ],
  cachedAudio: below('input_cached_audio_tokens', 'details.cache_audio_read_tokens'),
  total: [...below('total_tokens'), 'llm.token_count.total', 'ai.usage.totalTokens', 'ai.total_tokens.used'],
} as const satisfies Record<string, readonly string[]>;

/** Google's Agent Development Kit up to version 2.2: thoughts that its output count does not contain. */
export const THOUGHTS_BESIDES = 'gen_ai.usage.experimental.reasoning_tokens';
