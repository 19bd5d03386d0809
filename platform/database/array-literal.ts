/** Writes a column of a bulk insert as PostgreSQL's array literal: one native pass instead of one escape for each element. */

/** JSON escapes these, next to `"`, `\` and lone surrogates, in ways that an array literal does not read. */
// eslint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL_CHARACTER = /[\u0000-\u001f]/;

/**
 * For a parameter that is cast (`$1::text[]`). JSON's quotes, `\"`, `\\`, `null`, numbers and booleans read the same there;
 * texts with control characters are written by hand. Null when every element is: `unnest` pads what is missing with nulls,
 * as long as another column of the same `unnest` has all rows.
 */
export function arrayLiteral(elements: readonly (string | number | boolean | null)[]): string | null {
  if (elements.every((element) => element === null)) return null;
  const json = JSON.stringify(elements);
  const inner = elements.some(isEscapedOtherwise) ? elements.map(elementLiteral).join(',') : json.slice(1, -1);
  return `{${inner}}`;
}

function isEscapedOtherwise(element: string | number | boolean | null): boolean {
  return typeof element === 'string' && (CONTROL_CHARACTER.test(element) || !element.isWellFormed());
}

function elementLiteral(element: string | number | boolean | null): string {
  return typeof element === 'string' ? `"${element.replaceAll(/["\\]/g, '\\$&')}"` : String(element);
}
