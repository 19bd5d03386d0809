/**
 * Recognizes which provider's usage object an event contains: providers use the same names with different meanings
 * (decision 37).
 */
import type { Fields } from '#kernel/json/json-object.ts';
import { conventionOf } from './assumed-convention.ts';
import { SHAPES, type UsageShape } from './usage-shapes.ts';
import type { UsageSource } from './usage-sources.ts';
import { countAt } from './value-at.ts';

export interface FoundShape {
  readonly shape: UsageShape;
  readonly fields: Fields;
}

/** `provider` is the slug of the event's provider. Null if there are only the documented names, or none. */
export function findShape(
  sources: readonly UsageSource[],
  provider: string | null,
  model: string | undefined,
): FoundShape | null {
  for (const source of sources) {
    const shape = shapeOf(source, provider, model);
    if (shape !== null) return { shape, fields: source.fields };
  }
  return null;
}

function shapeOf(
  { fields, isContainer }: UsageSource,
  provider: string | null,
  model: string | undefined,
): UsageShape | null {
  const has = (...names: readonly string[]) => names.some((name) => Object.hasOwn(fields, name));
  // Microsoft.Extensions.AI and LangChain4j. What they count for Claude depends on the library that they call.
  if (has('inputTokenCount', 'outputTokenCount') && !has(...BEDROCK))
    return conventionOf(provider, model).input.isGuess ? null : SHAPES.tokenCounts;
  if (has(...GEMINI)) return SHAPES.gemini;
  if (has('total_input_tokens', 'total_output_tokens', 'totalInputTokens', 'totalOutputTokens'))
    return SHAPES.interactions;
  if (has('input_tokens') && has('cache_read_tokens') && has('cache_write_tokens')) return SHAPES.pydanticAi;
  // Our own endpoint recognizes the protocol by the body around the object.
  if (has('input_tokens') && fields['gen_ai.usage.convention'] === 'exclusive') return SHAPES.anthropic;
  const protocol = { messages: mayBeMessages(provider, model), isOfOther: isOfOtherVendor(provider, model) };
  if (!has('prompt_tokens') && isAnthropic(fields, isContainer, protocol, has)) return SHAPES.anthropic;
  if (has('prompt_cache_hit_tokens', 'prompt_cache_miss_tokens')) return SHAPES.deepseek;
  if (has('input_token_details', 'output_token_details'))
    return isLangchain(fields) ? SHAPES.langchain : SHAPES.realtime;
  if (has('input_tokens_details', 'output_tokens_details')) return SHAPES.responses;
  if (has('prompt_tokens', 'completion_tokens', 'prompt_tokens_details', 'completion_tokens_details')) {
    return provider === 'x-ai' ? SHAPES.xai : provider === 'perplexity' ? SHAPES.perplexity : SHAPES.chat;
  }
  // Codex: a client of OpenAI's Responses API.
  if (has('cached_input_tokens', 'reasoning_output_tokens') && !conventionOf(provider, model).input.isGuess)
    return SHAPES.responses;
  if (has('native_tokens_prompt', 'native_tokens_completion')) return SHAPES.openRouterGeneration;
  if (has('prompt_eval_count', 'eval_count')) return SHAPES.ollama;
  if (has(...BEDROCK)) return OPENAI_AT_BEDROCK.test(model ?? '') ? SHAPES.bedrockOpenAi : SHAPES.bedrock;
  if (has('inputTokenDetails', 'outputTokenDetails') || isNested(fields)) return SHAPES.aiSdk;
  if (has('inputTokensDetails', 'outputTokensDetails')) return SHAPES.agentsSdk;
  if (has('thoughtsTokens', 'cachedContentTokens')) return SHAPES.genkit;
  if (has('cachedInputTokens', 'reasoningTokens')) return aiSdkOf(provider, model);
  if (has('billed_units')) return SHAPES.cohere;
  for (const key in fields) {
    if (key.startsWith('gen_ai.usage.')) return openTelemetryShape(fields['gen_ai.usage.convention']);
    if (key.startsWith('llm.token_count.')) return SHAPES.openInference;
  }
  return null;
}

function openTelemetryShape(convention: unknown): UsageShape {
  if (convention === 'exclusive') return SHAPES.openTelemetryExclusive;
  return convention === 'assumed' ? SHAPES.openTelemetryAssumed : SHAPES.openTelemetry;
}

const GEMINI: readonly string[] = [
  'promptTokenCount',
  'candidatesTokenCount',
  'totalTokenCount',
  'cachedContentTokenCount',
  'thoughtsTokenCount',
  'toolUsePromptTokenCount',
  'promptTokensDetails',
  'responseTokenCount',
  'responseTokensDetails',
  'response_token_count',
  'prompt_token_count',
  'candidates_token_count',
  'total_token_count',
  'cached_content_token_count',
  'thoughts_token_count',
  'tool_use_prompt_token_count',
];

/** Converse, and Amazon's models through InvokeModel. */
const BEDROCK: readonly string[] = [
  'cacheReadInputTokens',
  'cacheWriteInputTokens',
  'cacheReadInputTokenCount',
  'cacheWriteInputTokenCount',
  'cacheDetails',
];

const OPENAI_AT_BEDROCK = /(?:^|[./])openai\.gpt-|^gpt-5/i;

/** LangChain's details have bare class names; in OpenAI's realtime API the names end in `_tokens`. */
function isLangchain(fields: Fields): boolean {
  return ['input_token_details', 'output_token_details'].some((name) => {
    const details = fields[name];
    if (typeof details !== 'object' || details === null) return false;
    return Object.keys(details).some((key) => !key.endsWith('_tokens') && !key.endsWith('_details'));
  });
}

/** The AI SDK from version 6 on, as its providers report: `inputTokens: { total, noCache, cacheRead, cacheWrite }`. */
function isNested(fields: Fields): boolean {
  return ['inputTokens', 'outputTokens'].some((name) => typeof fields[name] === 'object' && fields[name] !== null);
}

function aiSdkOf(provider: string | null, model: string | undefined): UsageShape {
  const { input, output } = conventionOf(provider, model);
  if (input.assumed === 'exclusive') return SHAPES.aiSdkMessages;
  return output.isGuess ? SHAPES.aiSdkReasoningApart : SHAPES.aiSdk;
}

/**
 * `likely`: Anthropic's API, or one with its protocol. `no`: an API that uses the same names with a different meaning.
 */
type MayBeMessages = 'likely' | 'possibly' | 'no';

function mayBeMessages(provider: string | null, model: string | undefined): MayBeMessages {
  const name = model?.toLowerCase() ?? '';
  if (provider === 'anthropic' || provider === 'aws' || name.includes('claude')) return 'likely';
  return OTHER_PROTOCOLS.has(provider) || OTHER_MODELS.test(name) ? 'no' : 'possibly';
}

/** Providers whose APIs do not offer Anthropic's protocol for their own models. */
const OTHER_PROTOCOLS: ReadonlySet<string | null> = new Set([
  'openai',
  'azure',
  'google',
  'mistral',
  'cohere',
  'perplexity',
  'groq',
  'cerebras',
  'voyageai',
]);
const OTHER_MODELS = /(?:^|[/.])(?:gpt-|chatgpt|o[134](?:-|$)|gemini|sonar|mistral|codestral|command)/;

/** Vendors other than Anthropic that may offer its protocol for their own models. */
const OTHER_VENDORS: ReadonlySet<string | null> = new Set([
  'deepseek',
  'x-ai',
  'moonshotai',
  'minimax',
  'zhipuai',
  'zai',
]);
const VENDOR_MODELS =
  /(?:^|[/.-])(?:deepseek|kimi|moonshot|minimax|glm|qwen|qwq|grok|llama|nova|titan|jamba|gemma|mixtral)/;

function isOfOtherVendor(provider: string | null, model: string | undefined): boolean {
  const name = model?.toLowerCase() ?? '';
  if (provider === 'anthropic' || name.includes('claude')) return false;
  return OTHER_VENDORS.has(provider) || VENDOR_MODELS.test(name) || OTHER_MODELS.test(name);
}

/** Names that only normalized counts have: Anthropic's own object does not contain them. */
const NORMALIZED = ['cache_creation_1h_input_tokens', 'reasoning_tokens', 'total_tokens'];

/**
 * A field unique to Anthropic proves nothing if the event names another API: senders fill in fields of all providers.
 */
function isAnthropic(
  fields: Fields,
  isContainer: boolean,
  { messages, isOfOther }: { readonly messages: MayBeMessages; readonly isOfOther: boolean },
  has: (...names: string[]) => boolean,
): boolean {
  if (messages === 'no') return false;
  if (countAt(fields, ['output_tokens_details', 'thinking_tokens']) !== null) return true;
  // Senders use these two names for all vendors, because these counts have a price.
  if (!isOfOther && has('server_tool_use', 'inference_geo')) return true;
  if (countAt(fields, ['cache_creation', 'ephemeral_5m_input_tokens']) !== null) return true;
  // Any other object that has Anthropic's names and, by its position, is a provider's own.
  if (!isContainer || !has('input_tokens') || has(...NORMALIZED, 'input_tokens_details')) return false;
  return messages === 'likely'
    ? has('cache_read_input_tokens', 'cache_creation_input_tokens', 'cache_creation')
    : has('cache_read_input_tokens') && has('cache_creation_input_tokens');
}
