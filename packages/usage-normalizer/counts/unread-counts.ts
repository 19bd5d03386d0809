/**
 * Token counts in a usage object under names that are not recognized. They may be billed at a price of their own, so
 * the cost of an event that has them is never exact.
 */
import type { Fields } from '#kernel/json/json-object.ts';
import { COUNT_NAMES, DETAIL_NAMES } from './usage-names.ts';
import { INPUT_PATHS, OUTPUT_PATHS, TOTAL_PATHS } from './raw-counts.ts';
import { countOrNull } from './value-at.ts';

/** Metadata key in which our telemetry endpoint lists the attributes that it could not read. */
export const UNREAD_COUNTS = 'unread_counts';
/** Metadata key that our endpoints set if a usage object states only a total, which is then booked as input. */
export const ONLY_TOTAL = 'only_total';
/** Metadata key that our telemetry endpoint sets for a call that states its output and no input. */
export const NO_INPUT = 'no_input';
/** Metadata key that our telemetry endpoint sets if the sender never says how long its cache writes are kept. */
export const UNSPLIT_WRITES = 'unsplit_cache_writes';

const LOOKS_LIKE_A_COUNT = /token|cache/i;

const READ: ReadonlySet<string> = new Set(
  [...Object.values(COUNT_NAMES), INPUT_PATHS, OUTPUT_PATHS, TOTAL_PATHS].flatMap((paths) =>
    (paths as readonly (readonly string[])[]).map((path) => path.join('.')),
  ),
);
const DETAILS: ReadonlySet<string> = new Set(
  Object.values(DETAIL_NAMES).flatMap((paths) => paths.map(([key]) => key as string)),
);

/** Parts of a count that is already read: modalities, predictions, and what was not cached. */
const PARTS =
  /^(?:(?:text|audio|image|video|document|file)(?:_?tokens?)?|no_?cache(?:Tokens)?|prompt_?cache_?miss_?tokens|(?:un|non_?)cached_(?:input_|prompt_)?tokens|(?:accepted|rejected)_?prediction_?tokens|tokens?|tokenCount|token_count|total)$/i;
/** LangChain names the service tier of a call in its details, and LiteLLM counts other units there. */
const NO_TOKENS = /^(?:priority|flex|web_search_requests|character_count|image_count|video_length_seconds)$/;
/**
 * Counts that are read elsewhere: Pydantic AI's copy of the provider's counts, other usage objects, and what is billed
 * as a unit.
 */
const READ_ELSEWHERE: ReadonlySet<string> = new Set([
  'billed_units',
  'details',
  'cacheDetails',
  'citation_tokens',
  'connector_tokens',
  'tokens',
  'tool_usage',
  'iterations',
  'nativeUsage',
  'raw',
]);

/** Cohere bills images and classifications too, at prices of their own. */
const BILLED_UNITS_READ = /^(?:input_tokens|output_tokens|search_units)$/;

/**
 * Names of unrecognized token counts, and of billed units without a price, which also make the cost a guess. Empty
 * for almost every object.
 */
export function unreadCounts(usage: Fields): readonly string[] {
  // Mistral: pages with annotations cost more than others.
  const annotated = isCounted(usage['pages_processed_annotation']) ? ['pages_processed_annotation'] : [];
  return [...unreadTokenCounts(usage), ...unreadUnits(usage['billed_units']), ...annotated];
}

/** Names of nested counts are joined by a dot. */
export function unreadTokenCounts(usage: Fields): readonly string[] {
  return Object.entries(usage).flatMap(([name, value]) => {
    if (READ_ELSEWHERE.has(name) || PARTS.test(name)) return [];
    if (typeof value !== 'object' || value === null)
      return LOOKS_LIKE_A_COUNT.test(name) && !READ.has(name) && isCounted(value) ? [name] : [];
    return LOOKS_LIKE_A_COUNT.test(name) ? unreadDetails(name, value as Fields) : [];
  });
}

function unreadDetails(holder: string, details: Fields): string[] {
  return Object.entries(details).flatMap(([name, value]) => {
    const path = `${holder}.${name}`;
    if (READ.has(path) || PARTS.test(name) || NO_TOKENS.test(name)) return [];
    // A list, such as the counts of several requests or of modalities.
    if (typeof value === 'object' && value !== null)
      return DETAILS.has(holder) ? [] : unreadDetails(path, value as Fields);
    return isCounted(value) ? [path] : [];
  });
}

function unreadUnits(units: unknown): string[] {
  if (typeof units !== 'object' || units === null) return [];
  return Object.entries(units).flatMap(([name, count]) =>
    !BILLED_UNITS_READ.test(name) && isCounted(count) ? [`billed_units.${name}`] : [],
  );
}

function isCounted(value: unknown): boolean {
  return (countOrNull(value) ?? 0) > 0;
}
