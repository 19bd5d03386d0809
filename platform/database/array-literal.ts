/** Writes a column of a bulk insert as PostgreSQL's array literal: one native pass instead of one escape for each element. */

/** Two texts of JSON differ from what an array literal reads: escapes other than `\"` and `\\`. */
const OTHER_ESCAPE = /(?<!\\)(?:\\\\)*\\[^"\\]/;

/**
 * For a parameter that is cast (`$1::text[]`). JSON's quotes, `\"`, `\\`, `null`, numbers and booleans read the same there;
 * texts with control characters are written by hand. Null when every element is: `unnest` pads what is missing with nulls,
 * as long as another column of the same `unnest` has all rows.
 */
export function arrayLiteral(elements: readonly (string | number | boolean | null)[]): string | null {
  if (elements.every((element) => element === null)) return null;
  const json = JSON.stringify(elements);
  const inner = OTHER_ESCAPE.test(json) ? elements.map(elementLiteral).join(',') : json.slice(1, -1);
  return `{${inner}}`;
}

function elementLiteral(element: string | number | boolean | null): string {
  return typeof element === 'string' ? `"${element.replaceAll(/["\\]/g, '\\$&')}"` : String(element);
}
