/** Finds the token counts that an event reports besides its input and output, under all the names that are tolerated. */
import type { ByClass } from '../../../schema/token-classes.ts';
import { valueAt } from './value-at.ts';

/** The token part of a usage event. Top-level fields were validated (decision 9, D4); metadata is as sent. */
export type UsageTokens = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadInputTokens?: number | null | undefined;
  readonly cacheCreationInputTokens?: number | null | undefined;
  readonly reasoningTokens?: number | null | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
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
};

type Path = readonly string[];

/**
 * The documented key first, then the tolerated names in order; the first valid count wins. A key of OpenTelemetry is
 * one flat name with dots. (design: "Which tokens", 2; top level wins over metadata: decision 9, D5.)
 */
const NAMES = {
  cacheRead: [
    ['cache_read_input_tokens'],
    ['gen_ai.usage.cache_read.input_tokens'],
    ['gen_ai.usage.cache_read_input_tokens'],
    ['prompt_tokens_details', 'cached_tokens'],
    ['input_tokens_details', 'cached_tokens'],
    ['cachedContentTokenCount'],
  ],
  cacheCreation: [
    ['cache_creation_input_tokens'],
    ['gen_ai.usage.cache_creation.input_tokens'],
    ['gen_ai.usage.cache_creation_input_tokens'],
    ['prompt_tokens_details', 'cache_write_tokens'],
    ['input_tokens_details', 'cache_write_tokens'],
    ['prompt_tokens_details', 'cache_creation_tokens'],
    ['input_tokens_details', 'cache_creation_tokens'],
  ],
  cacheCreation5m: [['cache_creation', 'ephemeral_5m_input_tokens']],
  cacheCreation1h: [['cache_creation', 'ephemeral_1h_input_tokens']],
  reasoning: [
    ['reasoning_tokens'],
    ['gen_ai.usage.reasoning.output_tokens'],
    ['gen_ai.usage.reasoning_tokens'],
    ['completion_tokens_details', 'reasoning_tokens'],
    ['output_tokens_details', 'reasoning_tokens'],
    ['output_tokens_details', 'thinking_tokens'],
    ['thoughtsTokenCount'],
  ],
  toolUseInput: [['toolUsePromptTokenCount']],
  total: [['total_tokens'], ['totalTokenCount'], ['gen_ai.usage.total_tokens']],
} as const satisfies Record<string, readonly Path[]>;

/** The first keys of all these paths. */
export const REPORTED_COUNT_KEYS: readonly string[] = Object.values(NAMES).flatMap((paths: readonly Path[]) =>
  paths.flatMap(([key]) => key ?? []),
);

/** A tolerated count that is negative, fractional or no number at all is read as absent, never as an error. */
export function reportedCounts(usage: UsageTokens): ReportedCounts {
  const find = (name: keyof typeof NAMES) => firstCount(usage.metadata, NAMES[name]);
  const written5m = find('cacheCreation5m');
  const written1h = find('cacheCreation1h');
  const written = written5m === null && written1h === null ? null : (written5m ?? 0) + (written1h ?? 0);
  return {
    cacheRead: countOrNull(usage.cacheReadInputTokens) ?? find('cacheRead'),
    cacheCreation: countOrNull(usage.cacheCreationInputTokens) ?? find('cacheCreation') ?? written,
    cacheCreation1h: written1h,
    reasoning: countOrNull(usage.reasoningTokens) ?? find('reasoning'),
    toolUseInput: find('toolUseInput'),
    total: find('total'),
  };
}

/** What is shown and summed up: as sent. */
export function countsOf(usage: UsageTokens): ByClass<number, number | null> {
  const { cacheRead, cacheCreation, reasoning } = reportedCounts(usage);
  return { input: usage.inputTokens, output: usage.outputTokens, cacheRead, cacheCreation, reasoning };
}

function firstCount(metadata: UsageTokens['metadata'], paths: readonly Path[]): number | null {
  for (const path of paths) {
    const count = countOrNull(valueAt(metadata, path));
    if (count !== null) return count;
  }
  return null;
}

function countOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
