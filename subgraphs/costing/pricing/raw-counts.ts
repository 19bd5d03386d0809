/** The input and the output of a call as a provider's own object counts them: what an endpoint for raw bodies makes an event of. */
import { SHAPES } from './usage-shape.ts';
import { countAt, countOrNull, valueAt } from './value-at.ts';

type Fields = Readonly<Record<string, unknown>>;
type Path = readonly string[];

/** Null where the object does not report it, or not as a whole number. */
export interface RawCounts {
  readonly input: number | null;
  readonly output: number | null;
}

const namesOf = (side: 'rawInput' | 'rawOutput'): Path[] =>
  Object.values(SHAPES).flatMap((shape): Path[] => shape[side].map((name) => [name]));

/** Under whatever names. */
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
 * Cohere bills apart from what it counts. A side that is missing follows from a total: an embedding or a reranking has no output, so its
 * total is its input.
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
  // Only a count that was sent and cannot be read is worked out: what an API leaves out is not there.
  return { input, output: isReported(fields, OUTPUT) ? Math.max(total - input, 0) : output };
}

/** Whether a name of these is there, readable or not. */
function isReported(fields: Fields, paths: readonly Path[]): boolean {
  return paths.some((path) => valueAt(fields, path) !== undefined);
}

/** What a provider bills a call by, besides tokens. */
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

const ADVICE =
  'Send whole numbers from 0 under the names that the provider gives them, or input_tokens and output_tokens';

/** A zero is a claim: it needs a count that was read. What an object leaves unsaid is 0 only next to what it says. */
export function readCounts(usage: Fields): ReadCounts {
  const { input, output } = rawCounts(usage);
  if (input === null && output === null) {
    if (hasUnits(usage)) return { ok: true, input: 0, output: 0 };
    return { ok: false, message: `The usage has no token counts that can be read. ${ADVICE}` };
  }
  if (input === null) return { ok: false, message: `The usage has no input count that can be read. ${ADVICE}` };
  if (output === null && isReported(usage, OUTPUT))
    return { ok: false, message: `The usage has no output count that can be read. ${ADVICE}` };
  return { ok: true, input, output: output ?? 0 };
}
