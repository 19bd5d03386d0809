/** The shapes in which providers, frameworks and tracers report usage, and what the counts of each contain. */

export type Convention = 'inclusive' | 'exclusive';

export interface UsageShape {
  /** Name shown in explanations. */
  readonly name: string;
  /** `inclusive` if cached tokens are part of the input count, and reasoning tokens part of the output count. */
  readonly input: Convention;
  readonly output: Convention;
  /** The provider's own input and output counts, which show whether a sender added the parts. */
  readonly rawInput: readonly string[];
  readonly rawOutput: readonly string[];
  /** True if the convention is only probable. */
  readonly isAssumed?: true;
  /** True if a sent total counts every token. It then proves what the other counts contain. */
  readonly hasTotal: boolean;
}

const CHAT = { rawInput: ['prompt_tokens'], rawOutput: ['completion_tokens'] };
const MESSAGES = { rawInput: ['input_tokens'], rawOutput: ['output_tokens'] };
const CAMEL = { rawInput: ['inputTokens'], rawOutput: ['outputTokens'] };
export const SHAPES = {
  gemini: {
    name: 'gemini',
    input: 'inclusive',
    output: 'exclusive',
    rawInput: ['promptTokenCount', 'prompt_token_count'],
    rawOutput: ['candidatesTokenCount', 'candidates_token_count', 'responseTokenCount', 'response_token_count'],
    hasTotal: true,
  },
  anthropic: { name: 'anthropic-messages', input: 'exclusive', output: 'inclusive', ...MESSAGES, hasTotal: false },
  deepseek: { name: 'deepseek-chat', input: 'inclusive', output: 'inclusive', ...CHAT, hasTotal: true },
  chat: { name: 'openai-chat', input: 'inclusive', output: 'inclusive', ...CHAT, hasTotal: true },
  xai: { name: 'xai-chat', input: 'inclusive', output: 'exclusive', ...CHAT, hasTotal: true },
  // Perplexity's total leaves out reasoning and citations.
  perplexity: { name: 'perplexity-chat', input: 'inclusive', output: 'exclusive', ...CHAT, hasTotal: false },
  realtime: { name: 'openai-realtime', input: 'inclusive', output: 'inclusive', ...MESSAGES, hasTotal: true },
  responses: { name: 'openai-responses', input: 'inclusive', output: 'inclusive', ...MESSAGES, hasTotal: true },
  // Bedrock's total may or may not contain cache reads.
  bedrock: { name: 'bedrock-converse', input: 'exclusive', output: 'inclusive', ...CAMEL, hasTotal: false },
  // OpenAI's models at Bedrock: a stream's input contains the cached tokens, that of a single response does not.
  bedrockOpenAi: {
    name: 'bedrock-converse',
    input: 'inclusive',
    output: 'inclusive',
    ...CAMEL,
    isAssumed: true,
    hasTotal: false,
  },
  // LangChain's input contains cached tokens, for all providers. Its details name the service tier of a call.
  langchain: { name: 'langchain', input: 'inclusive', output: 'inclusive', ...MESSAGES, hasTotal: true },
  aiSdk: { name: 'ai-sdk', input: 'inclusive', output: 'inclusive', ...CAMEL, hasTotal: true },
  // Up to version 5, the AI SDK passed on each provider's counts.
  aiSdkMessages: { name: 'ai-sdk-5', input: 'exclusive', output: 'inclusive', ...CAMEL, hasTotal: false },
  aiSdkReasoningApart: { name: 'ai-sdk-5', input: 'inclusive', output: 'exclusive', ...CAMEL, hasTotal: true },
  // These frameworks count as OpenAI does, for all providers.
  pydanticAi: { name: 'pydantic-ai', input: 'inclusive', output: 'inclusive', ...MESSAGES, hasTotal: true },
  tokenCounts: {
    name: 'input-token-count',
    input: 'inclusive',
    output: 'inclusive',
    rawInput: ['inputTokenCount'],
    rawOutput: ['outputTokenCount'],
    hasTotal: true,
  },
  agentsSdk: { name: 'openai-agents', input: 'inclusive', output: 'inclusive', ...CAMEL, hasTotal: true },
  // Genkit passes on Gemini's counts.
  genkit: { name: 'genkit', input: 'inclusive', output: 'exclusive', ...CAMEL, hasTotal: true },
  interactions: {
    name: 'gemini-interactions',
    input: 'inclusive',
    output: 'exclusive',
    rawInput: ['total_input_tokens', 'totalInputTokens'],
    rawOutput: ['total_output_tokens', 'totalOutputTokens'],
    hasTotal: true,
  },
  openRouterGeneration: {
    name: 'openrouter-generation',
    input: 'inclusive',
    output: 'inclusive',
    rawInput: ['native_tokens_prompt'],
    rawOutput: ['native_tokens_completion'],
    hasTotal: false,
  },
  ollama: {
    name: 'ollama',
    input: 'inclusive',
    output: 'inclusive',
    rawInput: ['prompt_eval_count'],
    rawOutput: ['eval_count'],
    hasTotal: false,
  },
  cohere: { name: 'cohere', input: 'inclusive', output: 'inclusive', rawInput: [], rawOutput: [], hasTotal: false },
  openTelemetry: {
    name: 'opentelemetry',
    input: 'inclusive',
    output: 'inclusive',
    rawInput: ['gen_ai.usage.input_tokens'],
    rawOutput: ['gen_ai.usage.output_tokens'],
    hasTotal: true,
  },
  openTelemetryAssumed: {
    name: 'opentelemetry',
    input: 'inclusive',
    output: 'inclusive',
    rawInput: ['gen_ai.usage.input_tokens'],
    rawOutput: ['gen_ai.usage.output_tokens'],
    isAssumed: true,
    hasTotal: true,
  },
  openTelemetryExclusive: {
    name: 'opentelemetry-exclusive',
    input: 'exclusive',
    output: 'inclusive',
    rawInput: ['gen_ai.usage.input_tokens'],
    rawOutput: ['gen_ai.usage.output_tokens'],
    hasTotal: false,
  },
  openInference: {
    name: 'openinference',
    input: 'inclusive',
    output: 'inclusive',
    rawInput: ['llm.token_count.prompt'],
    rawOutput: ['llm.token_count.completion'],
    hasTotal: true,
  },
} as const satisfies Record<string, UsageShape>;
