/** Reads the token usage of a call from a span or log record, under all names that libraries use. */
import { rawCounts } from '../pricing/raw-counts.ts';
import type { Convention } from '../pricing/usage-shapes.ts';
import { usageOfMetadata } from './ai-sdk-metadata.ts';
import { langfuseUsage } from './langfuse-usage.ts';
import { type Attributes, firstCount, parsedText, type TelemetryRecord } from './telemetry-record.ts';

export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number | null;
  readonly cacheWrite: number | null;
  /** The part of `cacheWrite` that is kept for one hour. */
  readonly cacheWrite1h: number | null;
  readonly reasoning: number | null;
  readonly inputAudio: number | null;
  readonly outputAudio: number | null;
  readonly total: number | null;
}

export interface CallUsage extends TokenCounts {
  /** The provider's own usage object, if the sender passed it on. It is preferred to attributes. */
  readonly raw: Readonly<Record<string, unknown>> | null;
  /** What the counts contain, if their form says it; null: the library decides. */
  readonly convention: Convention | null;
  /** Names of counts that nobody reads. */
  readonly unread: readonly string[];
}

const NAMES = {
  input: [
    'ai.usage.inputTokens',
    'ai.usage.promptTokens',
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.prompt_tokens',
    'llm.usage.prompt_tokens',
    'llm.token_count.prompt',
    'ai.usage.tokens',
    'input_tokens',
    'input_token_count',
  ],
  output: [
    'ai.usage.outputTokens',
    'ai.usage.completionTokens',
    'gen_ai.usage.output_tokens',
    'gen_ai.usage.completion_tokens',
    'llm.usage.completion_tokens',
    'llm.token_count.completion',
    'output_tokens',
    'output_token_count',
  ],
  cacheRead: [
    'ai.usage.inputTokenDetails.cacheReadTokens',
    'ai.usage.cachedInputTokens',
    'gen_ai.usage.cache_read.input_tokens',
    'gen_ai.usage.cache_read_input_tokens',
    'gen_ai.usage.input_tokens.cached',
    'gen_ai.usage.prompt_tokens_details.cache_read',
    'gen_ai.usage.prompt_tokens_details.cached_tokens',
    'gen_ai.usage.details.cache_read_tokens',
    'gen_ai.usage.details.cache_read_input_tokens',
    'gen_ai.usage.details.cached_tokens',
    'gen_ai.usage.cache_read_tokens',
    'gen_ai.usage.cached_tokens',
    'gen_ai.usage.cached_input_tokens',
    'llm.token_count.prompt_details.cache_read',
    'input_tokens.cached',
    'cache_read_tokens',
    'cached_token_count',
  ],
  cacheWrite: [
    'ai.usage.inputTokenDetails.cacheWriteTokens',
    'gen_ai.usage.cache_write.input_tokens',
    'gen_ai.usage.cache_creation.input_tokens',
    'gen_ai.usage.cache_creation_input_tokens',
    'gen_ai.usage.prompt_tokens_details.cache_write',
    'gen_ai.usage.details.cache_write_tokens',
    'gen_ai.usage.details.cache_creation_input_tokens',
    'gen_ai.usage.cache_write_tokens',
    'gen_ai.usage.cache_write_input_tokens',
    'llm.token_count.prompt_details.cache_write',
    'cache_creation_tokens',
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
    'gen_ai.usage.reasoning.output_tokens',
    'gen_ai.usage.reasoning_tokens',
    'gen_ai.usage.output_tokens.reasoning',
    'gen_ai.usage.completion_tokens_details.reasoning',
    'gen_ai.usage.details.reasoning_tokens',
    'llm.token_count.completion_details.reasoning',
    'output_tokens.reasoning',
    'reasoning_token_count',
  ],
  inputAudio: ['gen_ai.usage.audio.input_tokens', 'llm.token_count.prompt_details.audio'],
  outputAudio: ['gen_ai.usage.audio.output_tokens', 'llm.token_count.completion_details.audio'],
  total: ['gen_ai.usage.total_tokens', 'llm.usage.total_tokens', 'llm.token_count.total', 'ai.usage.totalTokens'],
} as const;

const RAW_USAGE: readonly string[] = [
  'upstream_raw_response_usage',
  'gen_ai.upstream_raw_response_usage',
  'trace.metadata.openrouter.upstream_raw_response_usage',
  'langfuse.observation.usage_details',
  'ai.response.usage',
  'ai.usage',
];

/** Null if the record has no token counts. */
export function callUsage({ attributes }: TelemetryRecord): CallUsage | null {
  const langfuse = langfuseUsage(parsedText(attributes, 'langfuse.observation.usage_details'));
  if (langfuse !== null) return { ...langfuse.counts, raw: null, convention: 'inclusive', unread: langfuse.unread };
  const find = (name: keyof typeof NAMES) => firstCount(attributes, NAMES[name]);
  const [input, output, cacheRead] = [find('input'), find('output'), find('cacheRead')];
  const raw = rawUsage(attributes, { input, output, cacheRead });
  if (raw === null && input === null && output === null) return null;
  const counts = raw === null ? { input, output } : rawCounts(raw);
  return {
    input: counts.input ?? 0,
    output: counts.output ?? 0,
    cacheRead,
    cacheWrite: find('cacheWrite'),
    cacheWrite1h: find('cacheWrite1h'),
    reasoning: find('reasoning'),
    inputAudio: find('inputAudio'),
    outputAudio: find('outputAudio'),
    total: find('total'),
    raw,
    convention: null,
    unread: raw === null ? unreadAttributes(attributes) : [],
  };
}

/** True if anything was used: a span with only zeros is not a billed call. */
export function isUsed({ input, output, cacheRead, cacheWrite, raw }: CallUsage): boolean {
  return input > 0 || output > 0 || (cacheRead ?? 0) > 0 || (cacheWrite ?? 0) > 0 || raw !== null;
}

/** All attributes about usage, as sent, so that they can be interpreted again later. */
export function usageAttributes(attributes: Attributes): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).filter(([name, value]) => USAGE_NAME.test(name) && typeof value !== 'boolean'),
  );
}

const USAGE_NAME = /usage|token_count|_tokens$|tokens\.(?:cached|reasoning)$/i;

/** Attributes that count tokens under names that nobody reads. Empty for almost every record. */
function unreadAttributes(attributes: Attributes): readonly string[] {
  return Object.keys(attributes).filter(
    (name) =>
      TOKEN_COUNT.test(name) && !READ.has(name) && !REPEATED.test(name) && (firstCount(attributes, [name]) ?? 0) > 0,
  );
}

const TOKEN_COUNT = /^(?:(?:gen_ai|llm|ai)\.usage|llm\.token_count)\..*(?:token|cache)/i;
const READ: ReadonlySet<string> = new Set(Object.values(NAMES).flat());
/** Parts of a count that is read, and Pydantic AI's copy of the provider's own counts. */
const REPEATED = /\.details\.|prediction|text|no_?cache|audio|image|video|raw/i;

function rawUsage(
  attributes: Attributes,
  counts: Pick<CallUsage, 'cacheRead'> & Readonly<Record<'input' | 'output', number | null>>,
): Readonly<Record<string, unknown>> | null {
  for (const name of RAW_USAGE) {
    const usage = parsedText(attributes, name);
    if (hasCounts(usage)) return usage;
  }
  const isDetailed = Object.keys(attributes).some((name) => name.startsWith(AI_SDK_DETAILS));
  return usageOfMetadata(parsedText(attributes, PROVIDER_METADATA), { ...counts, isDetailed });
}

/** The AI SDK reports them from version 6 on. */
export const AI_SDK_DETAILS = 'ai.usage.inputTokenDetails.';
export const PROVIDER_METADATA = 'ai.response.providerMetadata';

/** True if it is a usage object with at least one count. */
export function hasCounts(usage: Readonly<Record<string, unknown>>): boolean {
  const { input, output } = rawCounts(usage);
  return (input ?? 0) > 0 || (output ?? 0) > 0;
}
