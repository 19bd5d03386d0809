/**
 * JSON in which no number is ever silently changed. A number that a double cannot hold (more digits, a bigger exponent)
 * becomes a raw value that keeps its own text, and is printed as it came (decision 9, D4: costs never pass through a
 * double, nested metadata is kept as sent).
 */
import { isSameDecimal } from '../decimal-text.ts';
import { parseNumbers } from './parse-numbers.ts';
import { type JsonScan, scanJson } from './scan-json.ts';

/** Levels of arrays and objects: more than any real document has, and far below a stack overflow. */
export const JSON_DEPTH_MAX = 1000;

/** A number kept as its source text; `JSON.stringify` prints exactly that. */
export interface RawNumber {
  readonly rawJSON: string;
}

/** Node 24 has these (TC39 "JSON.parse source text access"); the compiler's library does not name them yet. */
const exact = JSON as unknown as {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
};

/**
 * Parses any JSON text. `__proto__` is an ordinary own key. The built-in parser is used unless the text contains a
 * number that it would change. `scan` must be a scan of this text. Throws a `SyntaxError` if the text is not JSON or
 * is nested deeper than `JSON_DEPTH_MAX`.
 */
export function parseExactJson(text: string, scan: JsonScan = scanJson(text)): unknown {
  const { depth, hasInexactNumber } = scan;
  if (depth > JSON_DEPTH_MAX) throw new SyntaxError(`JSON is nested deeper than ${JSON_DEPTH_MAX} levels`);
  // The built-in parser always decides whether the text is JSON, even if the other one parses it.
  const value: unknown = JSON.parse(text);
  return hasInexactNumber ? parseNumbers(text, keepNumber) : value;
}

/**
 * The inverse of `parseExactJson`. Throws a `TypeError` for values that JSON cannot represent (`undefined`, a
 * function, a bigint).
 */
export function printExactJson(value: unknown): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError('Not a JSON value');
  return text;
}

export function isRawNumber(value: unknown): value is RawNumber {
  return exact.isRawJSON(value);
}

/**
 * The exact text of a number returned by `parseExactJson`, in JSON's notation (possibly with an exponent); `null` for
 * anything else.
 */
export function sourceOfNumber(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : null;
  return isRawNumber(value) ? value.rawJSON : null;
}

function keepNumber(source: string): unknown {
  const value = Number(source);
  const size = Math.abs(value);
  if (source.length <= SAFE_LENGTH && size >= SMALLEST_SAFE && size < Infinity) return value;
  const isExact = !hasTooManyDigits(source) && (String(value) === source || isSameDecimal(source, String(value)));
  return isExact ? value : exact.rawJSON(source);
}

/** A double prints at most 17 significant digits. Numbers with an exponent are not checked. */
function hasTooManyDigits(source: string): boolean {
  if (source.length <= DOUBLE_DIGITS_MAX) return false;
  let digits = 0;
  let zeros = 0;
  for (let at = 0; at < source.length; at++) {
    const code = source.charCodeAt(at);
    if (code > NINE) return false;
    if (code === ZERO) {
      if (digits > 0) zeros++;
    } else if (code > ZERO) {
      digits += zeros + 1;
      zeros = 0;
    }
  }
  return digits > DOUBLE_DIGITS_MAX;
}

/** Numbers this short are exact in every double that is neither denormal nor infinite. */
const SAFE_LENGTH = 15;
const SMALLEST_SAFE = 1e-300;
const DOUBLE_DIGITS_MAX = 17;
const ZERO = 48;
const NINE = 57;
