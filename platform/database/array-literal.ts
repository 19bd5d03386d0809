/** Writes a column of a bulk insert as a PostgreSQL array in one pass. */

/** JSON escapes these, besides `"`, `\` and lone surrogates, in a way that array literals do not support. */
// oxlint-disable-next-line no-control-regex -- the pattern matches control characters
const CONTROL_CHARACTER = /[\u0000-\u001f]/;

type Element = string | number | boolean | null;

/**
 * For a parameter with a cast (`$1::text[]`). JSON's quotes, `\"`, `\\`, `null`, numbers and booleans have the same
 * syntax there; texts with control characters are escaped here. Null if all elements are null: `unnest` pads missing
 * values with nulls if another column has all rows.
 */
export function arrayLiteral(elements: readonly Element[]): string | null {
  if (elements.every(isNull)) return null;
  const json = JSON.stringify(elements);
  return isReadAlike(json, elements) ? `{${json.slice(1, -1)}}` : literalByHand(elements);
}

/**
 * Like `arrayLiteral`, in UTF-8, for a parameter that is cast from text (`$1::text::uuid[]`). Bytes are sent unchanged
 * and do not burden the garbage collector. Null if all elements are null.
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

/** Like `arrayBytes`, for this property of each row; a missing property is null. */
export function columnBytes(rows: readonly Readonly<Record<string, Element>>[], name: string): Buffer | null {
  const elements: Element[] = [];
  for (const row of rows) elements.push(row[name] ?? null);
  return arrayBytes(elements);
}

const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

// Module-level functions and loops instead of closures on this hot path: V8 discards a closure's compiled code when
// its last instance is collected.

function isNull(element: Element): boolean {
  return element === null;
}

/** True if all JSON escapes in the text are valid in an array literal. */
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

/** PostgreSQL's OID of `json`. */
const JSON_OID = 114;
const NULL_LENGTH = -1;

/**
 * For a parameter cast to `json[]`, in PostgreSQL's binary format, so that long texts are neither escaped nor scanned
 * or copied. Null if all elements are null.
 */
export function jsonArray(elements: readonly (string | null)[]): Buffer | null {
  if (elements.every(isNull)) return null;
  const lengths = elements.map(lengthOf);
  // Number of dimensions, whether there are nulls, element type; length and lower bound of the dimension.
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
