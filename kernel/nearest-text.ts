/** The text that was probably meant: equal except for case, a few edits away, or containing what was typed. */

const LENGTH_MAX = 100;
/** One edit is allowed for every four letters typed. */
const LETTERS_PER_EDIT = 4;

/** Null if none is near, or if the text is among the candidates. Earlier candidates win. */
export function nearestText(text: string, candidates: readonly string[]): string | null {
  const typed = text.trim().toLowerCase();
  if (typed === '' || typed.length > LENGTH_MAX || candidates.includes(text)) return null;
  const known = candidates.filter(({ length }) => length <= LENGTH_MAX);
  const same = known.find((one) => one.toLowerCase() === typed);
  const edits = known.map((one) => ({ one, count: editsBetween(typed, one.toLowerCase()) }));
  const [closest] = edits.toSorted((a, b) => a.count - b.count);
  const isNear = closest !== undefined && closest.count <= Math.floor(typed.length / LETTERS_PER_EDIT);
  if (same !== undefined || isNear) return same ?? closest?.one ?? null;
  return known.find((one) => one.toLowerCase().includes(typed)) ?? null;
}

/** Levenshtein distance: insertions, deletions and replacements of one character. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (let place = 1; place <= other.length; place++) {
      const replaced = row[place - 1]! + (letter === other[place - 1] ? 0 : 1);
      next.push(Math.min(row[place]! + 1, next[place - 1]! + 1, replaced));
    }
    row = next;
  }
  return row.at(-1)!;
}
