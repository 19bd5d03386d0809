/** Input and output counts of a provider's own object. The endpoint for raw bodies builds events from them. */
import { SHAPES } from './usage-shape.ts';
import { countAt, countOrNull, valueAt } from './value-at.ts';

type Fields = Readonly<Record<string, unknown>>;
type Path = readonly string[];

/** Null if the object does not report it, or not as a whole number. */
export interface RawCounts {
  readonly input: number | null;
  readonly output: number | null;
}

const namesOf = (side: 'rawInput' | 'rawOutput'): Path[] =>
  Object.values(SHAPES).flatMap((shape): Path[] => shape[side].map((name) => [name]));

/** Paths of the input count under all known names. */
const INPUT: readonly Path[] = [
  ...namesOf('rawInput'),
  ['promptTokens'],
  // Titan, and the metrics of Bedrock's streams
  ['inputTextTokenCount'],
  ['inputTokenCount'],
  ['native_tokens_prompt'],
  // Embeddings of Vertex AI
  ['token_count'],
];
const OUTPUT: readonly Path[] = [
  ...namesOf('rawOutput'),
  ['completionTokens'],
  // Llama on Bedrock
  ['generation_token_count'],
  ['outputTokenCount'],
  ['native_tokens_completion'],
];
const TOTAL: readonly Path[] = [
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
      for (const path of paths) {
        const count = countAt(holder, path);
        if (count !== null) return count;
      }
    }
    return null;
  };
  const [input, output, total] = [first(INPUT), first(OUTPUT), first(TOTAL)];
  if (total === null || (input !== null && output !== null)) return { input, output };
  if (input === null) return { input: Math.max(total - (output ?? 0), 0), output };
  // Only a count that was sent but cannot be read is derived from the total: a field that an API omits is absent.
  return { input, output: isReported(fields, OUTPUT) ? Math.max(total - input, 0) : output };
}

/** True if one of the names is present, with any value. */
function isReported(fields: Fields, paths: readonly Path[]): boolean {
  return paths.some((path) => valueAt(fields, path) !== undefined);
}

/** Billing units of providers other than tokens. */
const UNITS: readonly Path[] = [
  ['search_units'],
  ['billed_units', 'search_units'],
  ['billed_units', 'images'],
  ['billed_units', 'classifications'],
  ['pages_processed'],
  ['audio_seconds'],
  ['billable_audio_seconds'],
  ['prompt_audio_seconds'],
  ['seconds'],
  ['duration', 'seconds'],
];

function hasUnits(fields: Fields): boolean {
  return UNITS.some((path) => {
    const count = valueAt(fields, path);
    return countOrNull(count) !== null || (typeof count === 'number' && count > 0);
  });
}

export type ReadCounts =
  | { readonly ok: true; readonly input: number; readonly output: number }
  | { readonly ok: false; readonly message: string };

const ADVICE = 'Send whole numbers, 0 or more, under the names used by the provider, or input_tokens and output_tokens';

/**
 * Requires at least one readable count: a reported zero is a claim. A missing count is 0 only if the other one is
 * present.
 */
export function readCounts(usage: Fields): ReadCounts {
  const { input, output } = rawCounts(usage);
  if (input === null && output === null) {
    if (hasUnits(usage)) return { ok: true, input: 0, output: 0 };
    return { ok: false, message: `The usage has no readable token counts. ${ADVICE}` };
  }
  if (input === null) return { ok: false, message: `The usage has no readable input count. ${ADVICE}` };
  if (output === null && isReported(usage, OUTPUT))
    return { ok: false, message: `The usage has no readable output count. ${ADVICE}` };
  return { ok: true, input, output: output ?? 0 };
}
