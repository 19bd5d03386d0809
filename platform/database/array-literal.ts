/** Writes a column of a bulk insert as PostgreSQL's array, in one pass instead of one escape for each element. */

/** JSON escapes these, next to `"`, `\` and lone surrogates, in ways that an array literal does not read. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL_CHARACTER = /[\u0000-\u001f]/;

type Element = string | number | boolean | null;

/**
 * For a parameter that is cast (`$1::text[]`). JSON's quotes, `\"`, `\\`, `null`, numbers and booleans read the same there;
 * texts with control characters are written by hand. Null when every element is: `unnest` pads what is missing with nulls,
 * as long as another column of the same `unnest` has all rows.
 */
export function arrayLiteral(elements: readonly Element[]): string | null {
  if (elements.every(isNull)) return null;
  const json = JSON.stringify(elements);
  return isReadAlike(json, elements) ? `{${json.slice(1, -1)}}` : literalByHand(elements);
}

/**
 * The same in UTF-8, for a parameter that is text first (`$1::text::uuid[]`): bytes are sent as they are, and do not burden the garbage
 * collector while they wait for the answer. Null when every element is.
 */
export function arrayBytes(elements: readonly Element[]): Buffer | null {
  if (elements.every(isNull)) return null;
  const json = JSON.stringify(elements);
  if (!isReadAlike(json, elements)) return Buffer.from(literalByHand(elements));
  const bytes = Buffer.from(json);
  bytes[0] = OPEN_BRACE;
  bytes[bytes.length - 1] = CLOSE_BRACE;
  return bytes;
}

/** The same of what each row has under this name; what it does not have is null. */
export function columnBytes(rows: readonly Readonly<Record<string, Element>>[], name: string): Buffer | null {
  const elements: Element[] = [];
  for (const row of rows) elements.push(row[name] ?? null);
  return arrayBytes(elements);
}

const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

// Functions of the module and loops, no closures, where every event comes by: V8 forgets what it has compiled of a closure once none is left.

function isNull(element: Element): boolean {
  return element === null;
}

/** Whether an array literal reads all that JSON has escaped. */
function isReadAlike(json: string, elements: readonly Element[]): boolean {
  return !json.includes('\\') || !elements.some(isEscapedOtherwise);
}

function isEscapedOtherwise(element: Element): boolean {
  return typeof element === 'string' && (CONTROL_CHARACTER.test(element) || !element.isWellFormed());
}

function literalByHand(elements: readonly Element[]): string {
  return `{${elements.map(elementLiteral).join(',')}}`;
}

function elementLiteral(element: Element): string {
  return typeof element === 'string' ? `"${element.replaceAll(/["\\]/g, '\\$&')}"` : String(element);
}

/** PostgreSQL's number of the type `json`. */
const JSON_OID = 114;
const NULL_LENGTH = -1;

/**
 * For a parameter that is cast to `json[]`: the texts as they are, in PostgreSQL's binary form. What is long is neither escaped here nor
 * read character by character there, and no copy of it burdens the garbage collector. Null when every element is.
 */
export function jsonArray(elements: readonly (string | null)[]): Buffer | null {
  if (elements.every(isNull)) return null;
  const lengths = elements.map(lengthOf);
  // Dimensions, whether there are nulls, the type; the one dimension's length and where it begins.
  const head = [1, lengths.includes(NULL_LENGTH) ? 1 : 0, JSON_OID, elements.length, 1];
  const bytes = Int32Array.BYTES_PER_ELEMENT * (head.length + elements.length);
  const array = Buffer.allocUnsafe(lengths.reduce(addLength, bytes));
  let at = 0;
  for (const number of head) at = array.writeInt32BE(number, at);
  for (let index = 0; index < elements.length; index++) {
    const element = elements[index] ?? null;
    at = array.writeInt32BE(lengths[index]!, at);
    if (element !== null) at += array.write(element, at);
  }
  return array;
}

function lengthOf(element: string | null): number {
  return element === null ? NULL_LENGTH : Buffer.byteLength(element);
}

function addLength(sum: number, length: number): number {
  return sum + Math.max(length, 0);
}
