/** Finds the token counts that an event reports besides its input and output, under all the names that are understood. */
import type { ByClass } from '../../../schema/token-classes.ts';
import { type UsageSource, usageSources } from './usage-shape.ts';
import { valueAt } from './value-at.ts';

/** The token part of a usage event. Top-level fields were validated (decision 9, D4); the rest is as sent. */
export type UsageTokens = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadInputTokens?: number | null | undefined;
  readonly cacheCreationInputTokens?: number | null | undefined;
  readonly reasoningTokens?: number | null | undefined;
  /** What the event carries of a provider's usage object at its top level. */
  readonly providerUsage?: Readonly<Record<string, unknown>> | null | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  /** As sent: who means what by a name. */
  readonly provider?: string | null | undefined;
  readonly model?: string | undefined;
};

/** Whole tokens. Null: not reported; a reported 0 is 0. */
export type ReportedCounts = {
  readonly cacheRead: number | null;
  /** All cache writes, the one-hour ones included. */
  readonly cacheCreation: number | null;
  readonly cacheCreation1h: number | null;
  readonly reasoning: number | null;
  /** Google's tool-use prompt: input that the prompt count leaves out. */
  readonly toolUseInput: number | null;
  readonly total: number | null;
  readonly modalities: ModalityCounts | null;
};

/** Parts of the input, the output and the cached input that are no text. */
export type ModalityCounts = Readonly<
  Record<Modality, { readonly input: number; readonly output: number; readonly cached: number }>
>;
type Modality = (typeof MODALITIES)[number];
const MODALITIES = ['audio', 'image', 'video'] as const;

type Path = readonly string[];

/**
 * The documented key first, then the other names in order; the first valid count wins. A key of OpenTelemetry is one flat name with
 * dots. (design: "Which tokens", 2; top level wins over metadata: decision 9, D5.)
 */
const NAMES = {
  cacheRead: [
    ['cache_read_input_tokens'],
    ['gen_ai.usage.cache_read.input_tokens'],
    ['gen_ai.usage.cache_read_input_tokens'],
    ['prompt_tokens_details', 'cached_tokens'],
    ['input_tokens_details', 'cached_tokens'],
    ['input_token_details', 'cached_tokens'],
    ['prompt_cache_hit_tokens'],
    ['cached_prompt_text_tokens'],
    ['cached_tokens'],
    ['cachedContentTokenCount'],
    ['cached_content_token_count'],
    ['cacheReadInputTokens'],
    ['inputTokenDetails', 'cacheReadTokens'],
    ['cachedInputTokens'],
    ['llm.token_count.prompt_details.cache_read'],
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
    ['cacheWriteInputTokens'],
    ['inputTokenDetails', 'cacheWriteTokens'],
    ['llm.token_count.prompt_details.cache_write'],
  ],
  cacheCreation5m: [
    ['cache_creation', 'ephemeral_5m_input_tokens'],
    ['prompt_tokens_details', 'cache_creation_token_details', 'ephemeral_5m_input_tokens'],
  ],
  cacheCreation1h: [
    ['cache_creation_1h_input_tokens'],
    ['cache_creation', 'ephemeral_1h_input_tokens'],
    ['prompt_tokens_details', 'cache_creation_token_details', 'ephemeral_1h_input_tokens'],
  ],
  reasoning: [
    ['reasoning_tokens'],
    ['gen_ai.usage.reasoning.output_tokens'],
    ['gen_ai.usage.reasoning_tokens'],
    ['completion_tokens_details', 'reasoning_tokens'],
    ['output_tokens_details', 'reasoning_tokens'],
    ['output_tokens_details', 'thinking_tokens'],
    ['thoughtsTokenCount'],
    ['thoughts_token_count'],
    ['outputTokenDetails', 'reasoningTokens'],
    ['reasoningTokens'],
    ['llm.token_count.completion_details.reasoning'],
  ],
  toolUseInput: [['toolUsePromptTokenCount'], ['tool_use_prompt_token_count']],
  total: [
    ['total_tokens'],
    ['totalTokenCount'],
    ['total_token_count'],
    ['totalTokens'],
    ['gen_ai.usage.total_tokens'],
    ['llm.token_count.total'],
  ],
} as const satisfies Record<string, readonly Path[]>;

/** The first keys of all these paths. */
export const REPORTED_COUNT_KEYS: readonly string[] = Object.values(NAMES).flatMap((paths: readonly Path[]) =>
  paths.flatMap(([key]) => key ?? []),
);

/** A count that is negative, fractional or no number at all is read as absent, never as an error. */
export function reportedCounts(
  usage: UsageTokens,
  sources: readonly UsageSource[] = usageSources(usage.providerUsage, usage.metadata),
): ReportedCounts {
  const find = (name: keyof typeof NAMES) => (sources.length === 0 ? null : firstCount(sources, NAMES[name]));
  const written5m = find('cacheCreation5m');
  const written1h = find('cacheCreation1h') ?? longCacheWrites(sources);
  const written = written5m === null && written1h === null ? null : (written5m ?? 0) + (written1h ?? 0);
  return {
    cacheRead: countOrNull(usage.cacheReadInputTokens) ?? find('cacheRead'),
    cacheCreation: countOrNull(usage.cacheCreationInputTokens) ?? find('cacheCreation') ?? written,
    cacheCreation1h: written1h,
    reasoning: countOrNull(usage.reasoningTokens) ?? find('reasoning'),
    toolUseInput: find('toolUseInput'),
    total: find('total'),
    modalities: modalityCounts(sources),
  };
}

/** Bedrock's writes to a cache of an hour: a list by lifetime, next to the count of all. */
function longCacheWrites(sources: readonly UsageSource[]): number | null {
  for (const { fields } of sources) {
    const details = valueAt(fields, ['cacheDetails']);
    if (!Array.isArray(details)) continue;
    return details
      .filter((each) => valueAt(each, ['ttl']) === '1h')
      .reduce((total: number, each) => total + (countOrNull(valueAt(each, ['inputTokens'])) ?? 0), 0);
  }
  return null;
}

/** Where a provider divides its counts by modality: an object of OpenAI's names, or a list of Gemini's. */
const DETAILS = {
  input: [
    ['prompt_tokens_details'],
    ['input_tokens_details'],
    ['input_token_details'],
    ['promptTokensDetails'],
    ['promptTokenDetails'],
    ['toolUsePromptTokensDetails'],
    ['tool_use_prompt_tokens_details'],
  ],
  output: [
    ['completion_tokens_details'],
    ['output_tokens_details'],
    ['output_token_details'],
    ['candidatesTokensDetails'],
    ['candidates_tokens_details'],
    ['responseTokensDetails'],
    ['response_tokens_details'],
  ],
  cached: [
    ['input_token_details', 'cached_tokens_details'],
    ['input_tokens_details', 'cached_tokens_details'],
    ['prompt_tokens_details', 'cached_tokens_details'],
    ['cacheTokensDetails'],
    ['cache_tokens_details'],
  ],
} as const satisfies Record<string, readonly Path[]>;

/** What a modality is called in a list: documents are pictures of their pages. */
const IN_LISTS: Readonly<Record<string, Modality>> = {
  AUDIO: 'audio',
  IMAGE: 'image',
  DOCUMENT: 'image',
  VIDEO: 'video',
};

/** Null for almost every event: text alone. */
function modalityCounts(sources: readonly UsageSource[]): ModalityCounts | null {
  let found: Record<Modality, { input: number; output: number; cached: number }> | null = null;
  for (const side of ['input', 'output', 'cached'] as const) {
    for (const { fields } of sources) {
      const counts = DETAILS[side].flatMap((path) => countsIn(valueAt(fields, path)));
      if (counts.length === 0) continue;
      found ??= { audio: noTokens(), image: noTokens(), video: noTokens() };
      for (const [modality, count] of counts) found[modality][side] += count;
      break;
    }
  }
  return found;
}

const noTokens = () => ({ input: 0, output: 0, cached: 0 });

function countsIn(details: unknown): [Modality, number][] {
  if (typeof details !== 'object' || details === null) return [];
  const pairs = Array.isArray(details)
    ? details.map((each): [Modality | undefined, unknown] => {
        const modality = valueAt(each, ['modality']);
        return [
          typeof modality === 'string' ? IN_LISTS[modality] : undefined,
          valueAt(each, ['tokenCount']) ?? valueAt(each, ['token_count']),
        ];
      })
    : MODALITIES.map((modality): [Modality, unknown] => [modality, valueAt(details, [`${modality}_tokens`])]);
  return pairs.flatMap(([modality, value]): [Modality, number][] => {
    const count = countOrNull(value) ?? 0;
    return modality === undefined || count === 0 ? [] : [[modality, count]];
  });
}

/** What is shown and summed up: as sent. */
export function countsOf(usage: UsageTokens): ByClass<number, number | null> {
  const { cacheRead, cacheCreation, reasoning } = reportedCounts(usage);
  return { input: usage.inputTokens, output: usage.outputTokens, cacheRead, cacheCreation, reasoning };
}

function firstCount(sources: readonly UsageSource[], paths: readonly Path[]): number | null {
  for (const { fields } of sources) {
    for (const path of paths) {
      const count = countOrNull(valueAt(fields, path));
      if (count !== null) return count;
    }
  }
  return null;
}

export function countOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
