/** Finds the token counts that an event reports in addition to input and output, under all known names. */
import type { CachedTokensStatement } from './cached-tokens-rule.ts';
import type { ByClass } from '#schema/token-classes.ts';
import { AUDIO_OF_SPANS, COUNT_NAMES, DETAIL_NAMES, type Path } from './usage-names.ts';
import { type UsageSource, usageSources } from './usage-sources.ts';
import { countAt, countOrNull, valueAt } from './value-at.ts';

/** The token part of a usage event. Top-level fields are validated (decision 9, D4); the rest is as sent. */
export type UsageTokens = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadInputTokens?: number | null | undefined;
  readonly cacheCreationInputTokens?: number | null | undefined;
  readonly reasoningTokens?: number | null | undefined;
  /** The parts of a provider's usage object at the event's top level. */
  readonly providerUsage?: Readonly<Record<string, unknown>> | null | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  /** As sent. Shows which provider's naming applies. */
  readonly provider?: string | null | undefined;
  readonly model?: string | undefined;
  /** The statement of the request or the organization about ambiguous counts. */
  readonly cachedTokens?: CachedTokensStatement | null | undefined;
};

/** Whole tokens. Null: not reported; a reported 0 is 0. */
export type ReportedCounts = {
  readonly cacheRead: number | null;
  /** All cache writes, including one-hour ones. */
  readonly cacheCreation: number | null;
  readonly cacheCreation1h: number | null;
  readonly reasoning: number | null;
  /** Google's tool-use prompt: input that is not in the prompt count. */
  readonly toolUseInput: number | null;
  readonly total: number | null;
  readonly modalities: ModalityCounts | null;
};

/** Non-text parts of the input, the output and the cached input. */
export type ModalityCounts = Readonly<
  Record<Modality, { readonly input: number; readonly output: number; readonly cached: number }>
>;
type Modality = (typeof MODALITIES)[number];
const MODALITIES = ['audio', 'image', 'video'] as const;

/** First key of each of these paths. */
export const REPORTED_COUNT_KEYS: readonly string[] = Object.values(COUNT_NAMES).flatMap((paths: readonly Path[]) =>
  paths.flatMap(([key]) => key ?? []),
);

/** A count that is negative, fractional or not a number is treated as absent, never as an error. */
export function reportedCounts(
  usage: UsageTokens,
  sources: readonly UsageSource[] = usageSources(usage.providerUsage, usage.metadata),
): ReportedCounts {
  const find = (name: keyof typeof COUNT_NAMES) =>
    sources.length === 0 ? null : firstCount(sources, COUNT_NAMES[name]);
  const written5m = find('cacheCreation5m');
  const written1h = find('cacheCreation1h') ?? longCacheWrites(sources);
  const written = written5m === null && written1h === null ? null : (written5m ?? 0) + (written1h ?? 0);
  const creation = countOrNull(usage.cacheCreationInputTokens) ?? find('cacheCreation');
  return {
    cacheRead: countOrNull(usage.cacheReadInputTokens) ?? find('cacheRead'),
    // LangChain reports 0 here if it reports the writes by lifetime.
    cacheCreation: creation === null || creation === 0 ? (written ?? creation) : creation,
    cacheCreation1h: written1h,
    reasoning: countOrNull(usage.reasoningTokens) ?? find('reasoning'),
    toolUseInput: find('toolUseInput'),
    total: find('total'),
    modalities: modalityCounts(sources),
  };
}

/** Bedrock's writes to the one-hour cache: a list by lifetime, next to the total. */
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

/** Names of modalities in lists. Documents are images of their pages. */
const IN_LISTS: ReadonlyMap<string, Modality> = new Map([
  ['AUDIO', 'audio'],
  ['IMAGE', 'image'],
  ['DOCUMENT', 'image'],
  ['VIDEO', 'video'],
]);

/** Null for almost every event: only text. */
function modalityCounts(sources: readonly UsageSource[]): ModalityCounts | null {
  let found: Record<Modality, { input: number; output: number; cached: number }> | null = null;
  for (const side of ['input', 'output', 'cached'] as const) {
    for (const { fields } of sources) {
      const counts = [
        ...DETAIL_NAMES[side].flatMap((path) => countsIn(valueAt(fields, path))),
        ...audioIn(fields, side),
      ];
      if (counts.length === 0) continue;
      found ??= { audio: noTokens(), image: noTokens(), video: noTokens() };
      for (const [modality, count] of counts) found[modality][side] += count;
      break;
    }
  }
  return found;
}

/** The audio of a span, as OpenInference names it. */
function audioIn(fields: unknown, side: keyof typeof DETAIL_NAMES): [Modality, number][] {
  const count = countAt(fields, [AUDIO_OF_SPANS[side]]);
  return count === null || count === 0 ? [] : [['audio', count]];
}

const noTokens = () => ({ input: 0, output: 0, cached: 0 });

function countsIn(details: unknown): [Modality, number][] {
  if (typeof details !== 'object' || details === null) return [];
  const pairs = Array.isArray(details)
    ? details.map((each): [Modality | undefined, unknown] => {
        const modality = valueAt(each, ['modality']);
        return [
          typeof modality === 'string' ? IN_LISTS.get(modality.toUpperCase()) : undefined,
          valueAt(each, ['tokenCount']) ?? valueAt(each, ['token_count']) ?? valueAt(each, ['tokens']),
        ];
      })
    : MODALITIES.map((modality): [Modality, unknown] => [
        modality,
        // LangChain uses the bare name.
        valueAt(details, [`${modality}_tokens`]) ?? valueAt(details, [modality]),
      ]);
  return pairs.flatMap(([modality, value]): [Modality, number][] => {
    const count = countOrNull(value) ?? 0;
    return modality === undefined || count === 0 ? [] : [[modality, count]];
  });
}

/** The counts as sent, which pages show and sums add up. */
export function countsOf(usage: UsageTokens): ByClass<number, number | null> {
  const { cacheRead, cacheCreation, reasoning } = reportedCounts(usage);
  return { input: usage.inputTokens, output: usage.outputTokens, cacheRead, cacheCreation, reasoning };
}

function numberAt(fields: unknown, path: Path): unknown {
  const value = valueAt(fields, path);
  return typeof value === 'number' ? value : null;
}

function firstCount(sources: readonly UsageSource[], paths: readonly Path[]): number | null {
  for (const { fields, isContainer } of sources) {
    for (const path of paths) {
      // A count sent as text is only accepted in a provider's own object.
      const count = isContainer ? countAt(fields, path) : countOrNull(numberAt(fields, path));
      if (count !== null) return count;
    }
  }
  return null;
}
