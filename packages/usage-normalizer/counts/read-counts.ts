/** Input and output counts of a usage object, if they can be trusted: a reported zero means that nothing was used. */
import type { Fields } from '#kernel/json/json-object.ts';
import { COUNT_NAMES, DETAIL_NAMES } from './usage-names.ts';
import { INPUT_PATHS, isReported, OUTPUT_PATHS, rawCounts, TOTAL_PATHS } from './raw-counts.ts';
import { unreadTokenCounts } from './unread-counts.ts';
import { countOrNull, valueAt } from './value-at.ts';

type Path = readonly string[];

/** Pages of documents, and seconds of audio. */
const PAGES_AND_SECONDS: readonly Path[] = [
  ['pages_processed'],
  ['audio_seconds'],
  ['billable_audio_seconds'],
  ['prompt_audio_seconds'],
  ['seconds'],
  ['duration', 'seconds'],
];
/** Billing units other than tokens. */
const UNITS: readonly Path[] = [
  ['search_units'],
  ['billed_units', 'search_units'],
  ['billed_units', 'images'],
  ['billed_units', 'classifications'],
  ...PAGES_AND_SECONDS,
];

/** The names under which a usage object counts pages or seconds. */
export function pagesAndSeconds(fields: Fields): readonly string[] {
  return PAGES_AND_SECONDS.filter((path) => Number(valueAt(fields, path)) > 0).map((path) => path.join('.'));
}

/** A stated cost counts too: an event with nothing else waits, and the reason mentions the cost. */
function hasUnits(fields: Fields): boolean {
  if (typeof fields['cost'] === 'number' && fields['cost'] > 0) return true;
  return UNITS.some((path) => {
    const count = valueAt(fields, path);
    return countOrNull(count) !== null || (typeof count === 'number' && count > 0);
  });
}

export type ReadCounts =
  | { readonly ok: true; readonly input: number; readonly output: number }
  | { readonly ok: false; readonly message: string };

const ADVICE = 'Send whole numbers, 0 or more, under the names used by the provider, or input_tokens and output_tokens';

const NAMES: readonly Path[] = [INPUT_PATHS, OUTPUT_PATHS, TOTAL_PATHS, ...Object.values(COUNT_NAMES)].flat();
/** Cohere puts its counts in one of three places. */
const COUNT_PATHS: readonly Path[] = [[], ['billed_units'], ['tokens']].flatMap((holder) =>
  NAMES.map((path) => [...holder, ...path]),
);
const DETAIL_PATHS: readonly Path[] = Object.values(DETAIL_NAMES).flat();

/**
 * Returns the reason to reject an object with a count that is negative, fractional or not a number. Returns null if all
 * counts are possible; a count may be absent or null.
 */
export function impossibleCounts(usage: Fields): string | null {
  const details = DETAIL_PATHS.flatMap((path): Path[] => {
    const found = valueAt(usage, path);
    if (typeof found !== 'object' || found === null) return [];
    return Object.keys(found).flatMap((name) => (/_tokens$/.test(name) ? [[...path, name]] : []));
  });
  const named = [...COUNT_PATHS, ...details]
    .filter((path) => isImpossible(valueAt(usage, path)))
    .map((path) => path.join('.'));
  if (named.length === 0) return null;
  return `The usage has counts that are not whole numbers, 0 or more: ${[...new Set(named)].join(', ')}. ${ADVICE}`;
}

function isImpossible(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '' && countOrNull(value) === null;
  return typeof value === 'number' && countOrNull(value) === null;
}

/**
 * Requires at least one readable count: a reported zero means that nothing was used. A missing count is 0 only if the
 * other one is present.
 */
export function readCounts(usage: Fields): ReadCounts {
  const impossible = impossibleCounts(usage);
  if (impossible !== null) return { ok: false, message: impossible };
  const { input, output } = rawCounts(usage);
  if (input === null && output === null) {
    if (hasUnits(usage)) return { ok: true, input: 0, output: 0 };
    return { ok: false, message: `The usage has no readable token counts. ${ADVICE}` };
  }
  const unread = output === null ? unreadTokenCounts(usage) : [];
  if (unread.length > 0)
    return {
      ok: false,
      message: `The usage counts tokens under names that are not known: ${unread.join(', ')}. ${ADVICE}`,
    };
  if (input === null) return { ok: false, message: `The usage has no readable input count. ${ADVICE}` };
  if (output === null && isReported(usage, OUTPUT_PATHS))
    return { ok: false, message: `The usage has no readable output count. ${ADVICE}` };
  return { ok: true, input, output: output ?? 0 };
}
