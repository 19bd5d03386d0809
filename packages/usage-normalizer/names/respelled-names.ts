/**
 * Other spellings of a model's names: gateways write `claude-3.7-sonnet` or `claude-4.5-sonnet` where the vendor writes
 * `claude-3-7-sonnet` and `claude-sonnet-4-5`.
 */
import type { CandidateName } from './candidate-names.ts';

const RESPELLED_MAX = 24;

/** To try after the candidates, in the same order. Without duplicates, and without the candidates themselves. */
export function respelledNames(candidates: readonly CandidateName[]): CandidateName[] {
  const known = new Set(candidates.map(({ name }) => name));
  const forms = Math.max(0, ...candidates.map(({ form }) => form)) + 1;
  const respelled: CandidateName[] = [];
  for (const candidate of candidates) {
    for (const name of spellingsOf(candidate.name)) {
      if (known.has(name) || respelled.length >= RESPELLED_MAX) continue;
      known.add(name);
      respelled.push({
        name,
        rule: `${candidate.rule}, in another spelling`,
        form: forms + candidate.form,
        // Rate cards written by people match names as they are spelled.
        versionsDropped: candidate.versionsDropped + 1,
      });
    }
  }
  return respelled;
}

/** A generation of two numbers, neither a date nor a size: `3-7`, but not `08-06` or `3-70b`. */
const WITH_DASH = /(?<![\d.])([1-9]\d?)-(\d{1,2})(?=$|[-:@])/;
const WITH_POINT = /(?<![\d.])([1-9]\d?)\.(\d{1,2})(?=$|[-:@])/;

function spellingsOf(name: string): string[] {
  const ordered = reordered(name);
  return [name, ...(ordered === null ? [] : [ordered])].flatMap((each) => [each, respelled(each)]).slice(1);
}

function respelled(name: string): string {
  return WITH_DASH.test(name) ? name.replace(WITH_DASH, '$1.$2') : name.replace(WITH_POINT, '$1-$2');
}

const GENERATION = String.raw`[1-9]\d?(?:[.-]\d{1,2})?(?=$|[-:@])`;
const SIZE = 'opus|sonnet|haiku|fable';
const GENERATION_FIRST = new RegExp(String.raw`(?<=(?:^|[/.])claude-)(${GENERATION})-(${SIZE})(?=$|[-:@])`);
const SIZE_FIRST = new RegExp(String.raw`(?<=(?:^|[/.])claude-)(${SIZE})-(${GENERATION})`);

/** Claude's generation and size, the other way round. */
function reordered(name: string): string | null {
  const pattern = [GENERATION_FIRST, SIZE_FIRST].find((each) => each.test(name));
  return pattern === undefined ? null : name.replace(pattern, '$2-$1');
}
