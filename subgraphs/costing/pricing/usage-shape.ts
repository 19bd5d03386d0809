/** Tells whose usage object an event carries: each provider means something else by the same words (decision 37). */
import { USAGE_CONTAINERS, USAGE_KEYS } from '../events/provider-usage.ts';
import { UNKNOWN_PROVIDER } from '../rates/matching/canonical-provider.ts';
import { valueAt } from './value-at.ts';

type Fields = Readonly<Record<string, unknown>>;
export type Convention = 'inclusive' | 'exclusive';

interface UsageShape {
  /** What the explanation calls it. */
  readonly name: string;
  /** Whether cached tokens lie inside the input count, and reasoning tokens inside the output count. */
  readonly input: Convention;
  readonly output: Convention;
  /** The provider's own counts of input and output, which tell whether a sender added something up. */
  readonly rawInput: readonly string[];
  readonly rawOutput: readonly string[];
  /** Whether a total that is sent counts every token: then it proves how the others are meant. */
  readonly hasTotal: boolean;
}

const CHAT = { rawInput: ['prompt_tokens'], rawOutput: ['completion_tokens'] };
const MESSAGES = { rawInput: ['input_tokens'], rawOutput: ['output_tokens'] };
const CAMEL = { rawInput: ['inputTokens'], rawOutput: ['outputTokens'] };
const SHAPES = {
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
  // Its total leaves out reasoning and citations.
  perplexity: { name: 'perplexity-chat', input: 'inclusive', output: 'exclusive', ...CHAT, hasTotal: false },
  realtime: { name: 'openai-realtime', input: 'inclusive', output: 'inclusive', ...MESSAGES, hasTotal: true },
  responses: { name: 'openai-responses', input: 'inclusive', output: 'inclusive', ...MESSAGES, hasTotal: true },
  // Its total may or may not count what the cache gave.
  bedrock: { name: 'bedrock-converse', input: 'exclusive', output: 'inclusive', ...CAMEL, hasTotal: false },
  aiSdk: { name: 'ai-sdk', input: 'inclusive', output: 'inclusive', ...CAMEL, hasTotal: true },
  cohere: { name: 'cohere', input: 'inclusive', output: 'inclusive', rawInput: [], rawOutput: [], hasTotal: false },
  openTelemetry: {
    name: 'opentelemetry',
    input: 'inclusive',
    output: 'inclusive',
    rawInput: ['gen_ai.usage.input_tokens'],
    rawOutput: ['gen_ai.usage.output_tokens'],
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

export interface UsageSource {
  readonly fields: Fields;
  /** Whether it is an object of a response by its name, not the caller's own metadata. */
  readonly isContainer: boolean;
}

/** Where an event may carry usage, the top level before metadata; empty for almost every event. */
export function usageSources(providerUsage: unknown, metadata: unknown): UsageSource[] {
  const sources: UsageSource[] = [];
  for (const holder of [providerUsage, metadata]) {
    if (typeof holder !== 'object' || holder === null) continue;
    if (holder !== providerUsage && !hasUsageKey(holder)) continue;
    sources.push({ fields: holder as Fields, isContainer: false });
    for (const name of USAGE_CONTAINERS) {
      const inner = valueAt(holder, [name]);
      if (typeof inner === 'object' && inner !== null) {
        sources.push({ fields: inner as Fields, isContainer: true });
        const billed = valueAt(inner, ['billed_units']);
        if (typeof billed === 'object' && billed !== null)
          sources.push({ fields: billed as Fields, isContainer: true });
      }
    }
  }
  return sources;
}

/** Documented keys in metadata count as well: they are found there as they are at the top level. */
const DOCUMENTED_KEYS = ['cache_read_input_tokens', 'cache_creation_input_tokens', 'reasoning_tokens'];

function hasUsageKey(holder: object): boolean {
  for (const key in holder) if (USAGE_KEYS.has(key) || DOCUMENTED_KEYS.includes(key)) return true;
  return false;
}

export interface FoundShape {
  readonly shape: UsageShape;
  readonly fields: Fields;
}

/** `provider` is the slug of the provider that the event names. Null: only the documented names, or none. */
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
  if (has(...GEMINI)) return SHAPES.gemini;
  if (!has('prompt_tokens') && isAnthropic(fields, isContainer && mayBeMessages(provider, model), has))
    return SHAPES.anthropic;
  if (has('prompt_cache_hit_tokens', 'prompt_cache_miss_tokens')) return SHAPES.deepseek;
  if (has('input_token_details', 'output_token_details')) return SHAPES.realtime;
  if (has('input_tokens_details', 'output_tokens_details')) return SHAPES.responses;
  if (has('prompt_tokens', 'completion_tokens', 'prompt_tokens_details', 'completion_tokens_details')) {
    return provider === 'x-ai' ? SHAPES.xai : provider === 'perplexity' ? SHAPES.perplexity : SHAPES.chat;
  }
  if (has('cacheReadInputTokens', 'cacheWriteInputTokens', 'cacheDetails')) return SHAPES.bedrock;
  if (has('cachedInputTokens', 'reasoningTokens', 'inputTokenDetails', 'outputTokenDetails')) return SHAPES.aiSdk;
  if (has('billed_units')) return SHAPES.cohere;
  for (const key in fields) {
    if (key.startsWith('gen_ai.usage.')) {
      return fields['gen_ai.usage.convention'] === 'exclusive' ? SHAPES.openTelemetryExclusive : SHAPES.openTelemetry;
    }
    if (key.startsWith('llm.token_count.')) return SHAPES.openInference;
  }
  return null;
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

/** Whose usage object may say no more than Anthropic's names: elsewhere they are someone's own totals. */
function mayBeMessages(provider: string | null, model: string | undefined): boolean {
  return provider === 'anthropic' || provider === 'aws' || (model?.toLowerCase().includes('claude') ?? false);
}

/** Names that only someone who normalizes counts writes: Anthropic's own object has none of them. */
const NORMALIZED = ['cache_creation_1h_input_tokens', 'reasoning_tokens', 'total_tokens'];

function isAnthropic(fields: Fields, isContainer: boolean, has: (...names: string[]) => boolean): boolean {
  if (isCount(fields, 'output_tokens_details', 'thinking_tokens') || has('server_tool_use', 'inference_geo'))
    return true;
  if (isCount(fields, 'cache_creation', 'ephemeral_5m_input_tokens')) return true;
  // Any other object in which Anthropic's names stand together, where its own place says that it is a provider's.
  const hasCache = has('cache_read_input_tokens', 'cache_creation_input_tokens', 'cache_creation');
  return isContainer && has('input_tokens') && hasCache && !has(...NORMALIZED) && !has('input_tokens_details');
}

function isCount(fields: Fields, ...path: readonly string[]): boolean {
  return typeof valueAt(fields, path) === 'number';
}

const RAW_INPUT = Object.values(SHAPES).flatMap(({ rawInput }): readonly string[] => rawInput);
const RAW_OUTPUT = Object.values(SHAPES).flatMap(({ rawOutput }): readonly string[] => rawOutput);

/** Input and output as a provider's own object counts them, under whatever names; null where it has none. Cohere bills apart. */
export function rawCounts(fields: Fields): { readonly input: number | null; readonly output: number | null } {
  const holders = [fields['billed_units'], fields, fields['tokens']];
  const first = (names: readonly string[]) =>
    holders
      .flatMap((holder) => names.map((name) => valueAt(holder, [name])))
      .find((count) => typeof count === 'number') ?? null;
  return { input: first(RAW_INPUT), output: first(RAW_OUTPUT) };
}

/**
 * How counts are meant of which only the documented names were sent, so that nothing in the event proves it. The documentation
 * says: totals. Anthropic's own counts bear the very same names, so where it is the named provider its convention holds. `isGuess`:
 * the provider's own API means them otherwise than the documentation, so that either may have been sent.
 */
export function conventionOf(
  provider: string | null,
  model: string | undefined,
): Readonly<Record<'input' | 'output', { readonly assumed: Convention; readonly isGuess: boolean }>> {
  const name = model?.toLowerCase() ?? '';
  const isClaude = name.includes('claude');
  const isNamed = provider !== null && provider !== UNKNOWN_PROVIDER;
  const isExclusive = provider === 'anthropic' || provider === 'aws' || (isClaude && CLAUDE_HOSTS.has(provider));
  const isApart = isNamed ? REASONING_APART_AT.has(provider) && !isClaude : REASONING_APART.test(name);
  return {
    input: { assumed: isExclusive ? 'exclusive' : 'inclusive', isGuess: isExclusive || (!isNamed && isClaude) },
    output: { assumed: 'inclusive', isGuess: isApart },
  };
}

/** Whose doors to Claude speak Anthropic's own protocol. */
const CLAUDE_HOSTS: ReadonlySet<string | null> = new Set(['google', 'azure']);
const REASONING_APART_AT: ReadonlySet<string> = new Set(['google', 'x-ai', 'perplexity']);
const REASONING_APART = /(?:^|\/)(?:gemini|grok|sonar)/;
