/**
 * JSON in which no number is ever silently changed. A number that a double cannot hold (more digits, a bigger exponent)
 * becomes a raw value that keeps its own text, and is printed as it came (decisions.md D4: costs never pass through a
 * double, nested metadata is kept as sent).
 */
import { isSameDecimal } from './decimal-text.ts';
import { scanJson } from './scan-json.ts';

/** Levels of arrays and objects. Room for anything that is meant; far below what overflows a stack. */
export const JSON_DEPTH_MAX = 1000;

/** A number kept as its source text; `JSON.stringify` prints exactly that. */
export interface RawNumber {
  readonly rawJSON: string;
}

type ExactReviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** Node 24 has these (TC39 "JSON.parse source text access"); the compiler's library does not name them yet. */
const exact = JSON as unknown as {
  parse(text: string, reviver?: ExactReviver): unknown;
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
};

/**
 * Any JSON text to its value. `__proto__` is an ordinary own key. The plain parser does the work unless the text holds
 * a number that it would change. Throws a `SyntaxError` for what is not JSON or is nested deeper than
 * `JSON_DEPTH_MAX`.
 */
export function parseExactJson(text: string): unknown {
  const { depth, hasInexactNumber } = scanJson(text);
  if (depth > JSON_DEPTH_MAX) throw new SyntaxError(`JSON is nested deeper than ${JSON_DEPTH_MAX} levels`);
  return hasInexactNumber ? exact.parse(text, keepNumber) : exact.parse(text);
}

/** The inverse. Throws a `TypeError` for what JSON cannot say (`undefined`, a function, a bigint). */
export function printExactJson(value: unknown): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError('Not a JSON value');
  return text;
}

export function isRawNumber(value: unknown): value is RawNumber {
  return exact.isRawJSON(value);
}

/**
 * The exact text of a number out of `parseExactJson`, as JSON writes it (an exponent is possible); `null` for anything
 * else.
 */
export function sourceOfNumber(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : null;
  return isRawNumber(value) ? value.rawJSON : null;
}

function keepNumber(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || source === undefined || isSameDecimal(source, String(value))) return value;
  return exact.rawJSON(source);
}
