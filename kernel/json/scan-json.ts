/**
 * One cheap scan of a JSON text before parsing: ingestion is a hot path, and the parser that keeps numbers is six
 * times slower.
 */

import { endOfString } from './json-string.ts';

const QUOTE = 34;
const POINT = 46;
const ZERO = 48;
const NINE = 57;
const UPPER_E = 69;
const LOWER_E = 101;

/** A number of at most this many characters without an exponent is exact in a double. */
const SAFE_LENGTH = 15;

export interface JsonScan {
  /** The deepest level of arrays and objects; 0 for a scalar. */
  readonly depth: number;
  /** True if any number is not the shortest text of its double. Its value may still be exact. */
  readonly hasInexactNumber: boolean;
}

/** The result is meaningful only for JSON; the parser refuses any other text. */
export function scanJson(text: string): JsonScan {
  let depth = 0;
  let deepest = 0;
  let hasInexactNumber = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code === 91 || code === 123) {
      depth++;
      if (depth > deepest) deepest = depth;
    } else if (code === 93 || code === 125) {
      depth--;
    } else if (code >= ZERO && code <= NINE) {
      const end = endOfNumber(text, at);
      if (!hasInexactNumber) hasInexactNumber = isInexact(text, at, end);
      at = end - 1;
    }
  }
  return { depth: deepest, hasInexactNumber };
}

/** End of the digits, the point and the exponent's letter. An exponent's digits are scanned as the next number. */
function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (isDigitOrPoint(text.charCodeAt(at))) at++;
  return at;
}

function isDigitOrPoint(code: number): boolean {
  return (code >= ZERO && code <= NINE) || code === POINT;
}

function isInexact(text: string, start: number, end: number): boolean {
  const next = text.charCodeAt(end);
  if (next === LOWER_E || next === UPPER_E) return true;
  if (end - start <= SAFE_LENGTH) return false;
  const token = text.slice(start, end);
  return String(Number(token)) !== token;
}
