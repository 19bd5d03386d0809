/** The text that was probably meant: equal except for case, a few edits away, or containing what was typed. */

const LENGTH_MAX = 100;
/** Letters typed for each edit that is allowed. */
const LETTERS_PER_EDIT = 4;
/** Maximum number of edits: it bounds the work, because letters further apart are not compared. */
const EDITS_MAX = 5;

/** Null if none is near, or if the text is among the candidates. Earlier candidates win. */
export function nearestText(text: string, candidates: readonly string[]): string | null {
  const typed = text.trim().toLowerCase();
  if (typed === '' || typed.length > LENGTH_MAX || candidates.includes(text)) return null;
  const known = candidates.filter(({ length }) => length <= LENGTH_MAX);
  let nearest: string | null = null;
  let max = Math.min(EDITS_MAX, Math.floor(typed.length / LETTERS_PER_EDIT));
  for (const one of known) {
    const edits = editsBetween(typed, one.toLowerCase(), max);
    if (edits === 0) return one;
    if (edits === null) continue;
    // A later candidate must be nearer.
    nearest = one;
    max = edits - 1;
  }
  return nearest ?? known.find((one) => one.toLowerCase().includes(typed)) ?? null;
}

/** Levenshtein distance: insertions, deletions and replacements of one character. Null if it is more than `max`. */
function editsBetween(one: string, other: string, max: number): number | null {
  if (Math.abs(one.length - other.length) > max) return null;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  let next = [...row];
  for (let at = 1; at <= one.length; at++) {
    const [first, last] = [Math.max(1, at - max), Math.min(other.length, at + max)];
    next[first - 1] = first === 1 ? at : Infinity;
    let least = Infinity;
    for (let place = first; place <= last; place++) {
      const replaced = row[place - 1]! + (one[at - 1] === other[place - 1] ? 0 : 1);
      next[place] = Math.min(row[place]! + 1, next[place - 1]! + 1, replaced);
      least = Math.min(least, next[place]!);
    }
    if (least > max) return null;
    if (last < other.length) next[last + 1] = Infinity;
    [row, next] = [next, row];
  }
  const edits = row[other.length]!;
  return edits <= max ? edits : null;
}
