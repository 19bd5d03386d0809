/** Input and output counts of a usage object, if they can be trusted: a reported zero is a claim. */
import { isReported, OUTPUT_PATHS, rawCounts } from './raw-counts.ts';
import { unreadTokenCounts } from './unread-counts.ts';
import { countOrNull, valueAt } from './value-at.ts';

type Fields = Readonly<Record<string, unknown>>;
type Path = readonly string[];

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

/** With a stated cost alone, the event waits with a reason that names it. */
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
