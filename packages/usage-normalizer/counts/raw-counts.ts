/** Input and output counts of a provider's own object. The endpoint for raw bodies builds events from them. */
import type { Fields } from '#kernel/json/json-object.ts';
import { SHAPES } from './usage-shapes.ts';
import { countAt, valueAt } from './value-at.ts';

type Path = readonly string[];

/** A count is null if the object does not report it as a whole number. */
export interface RawCounts {
  readonly input: number | null;
  readonly output: number | null;
}

const namesOf = (side: 'rawInput' | 'rawOutput'): Path[] =>
  Object.values(SHAPES).flatMap((shape): Path[] => shape[side].map((name) => [name]));

/** Paths of the input count under all known names. */
export const INPUT_PATHS: readonly Path[] = [
  ...namesOf('rawInput'),
  ['promptTokens'],
  // Titan, and the metrics of Bedrock's streams
  ['inputTextTokenCount'],
  ['inputTokenCount'],
  ['native_tokens_prompt'],
  ['prompt_eval_count'],
  // Embeddings of Vertex AI
  ['token_count'],
];
export const OUTPUT_PATHS: readonly Path[] = [
  ...namesOf('rawOutput'),
  ['completionTokens'],
  // Llama on Bedrock
  ['generation_token_count'],
  ['outputTokenCount'],
  ['native_tokens_completion'],
  ['eval_count'],
];
export const TOTAL_PATHS: readonly Path[] = [
  ['total_tokens'],
  ['totalTokens'],
  ['totalTokenCount'],
  ['total_token_count'],
  ['tokens'],
];

/**
 * Cohere's `billed_units` take precedence over its `tokens`. A missing side is derived from the total: an embedding or
 * a reranking has no output, so its total is its input.
 */
export function rawCounts(fields: Fields): RawCounts {
  const holders = [fields['billed_units'], fields, fields['tokens']];
  const first = (paths: readonly Path[]) => {
    for (const holder of holders) {
      const counts = paths.flatMap((path) => countAt(holder, path) ?? []);
      // A zero next to a count under another name is a field that the sender did not fill in.
      const count = counts.find((one) => one > 0) ?? counts[0];
      if (count !== undefined) return count;
    }
    return null;
  };
  const [input, output, total] = [first(INPUT_PATHS), first(OUTPUT_PATHS), first(TOTAL_PATHS)];
  // Zeros next to a total are fields that the sender did not fill in.
  if (total !== null && total > 0 && input === 0 && (output ?? 0) === 0) return { input: total, output };
  if (total === null || (input !== null && output !== null)) return { input, output };
  if (input === null) return { input: Math.max(total - (output ?? 0), 0), output };
  // A missing output is derived from the total only if it was sent but cannot be read. A field that an API omits stays
  // absent.
  return { input, output: isReported(fields, OUTPUT_PATHS) ? Math.max(total - input, 0) : output };
}

/** True if a total is present, and input and output are missing or zero. */
export function statesOnlyTotal(fields: Fields): boolean {
  const holders = [fields['billed_units'], fields, fields['tokens']];
  const largest = (paths: readonly Path[]) =>
    Math.max(-1, ...holders.flatMap((holder) => paths.flatMap((path) => countAt(holder, path) ?? [])));
  const [total, largestPart] = [largest(TOTAL_PATHS), Math.max(largest(INPUT_PATHS), largest(OUTPUT_PATHS))];
  return total >= 0 && (largestPart < 0 || (largestPart === 0 && total > 0));
}

/** True if one of the names is present, with any value. */
export function isReported(fields: Fields, paths: readonly Path[]): boolean {
  return paths.some((path) => valueAt(fields, path) !== undefined);
}
