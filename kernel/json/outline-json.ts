/**
 * Scans the bytes of a JSON text before parsing it: its depth, its number of values, the positions of its elements,
 * and the parts small enough to be parsed at once. A generator, so that the caller can pause.
 */

import { PairList } from './pair-list.ts';

const BACKSLASH = 92;
const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const NEWLINE = 10;
const SPACE = 32;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** Parsing this many bytes of the most expensive JSON takes about two milliseconds. */
export const PIECE_BYTES = 16 * 1024;

/** Bytes between two yields. */
const STEP_BYTES = 16 * 1024;

/**
 * Maximum number of escapes in the strings of a text: the parser replaces all escapes of a string at once, at about
 * ten nanoseconds each.
 */
const ESCAPES_MAX = 2_000_000;

/** Start inclusive, end exclusive. */
type Range = readonly [start: number, end: number];

export interface OutlineLimits {
  /** Number of opening brackets and commas. It equals the number of values within a factor of two. */
  readonly valuesMax: number;
  readonly depthMax: number;
  /** A string is parsed in one step: eight megabytes take about 30 milliseconds. */
  readonly stringBytesMax: number;
  /** True to stop at a number of 32 KiB or more. */
  readonly refusesLongNumbers: boolean;
  /** Maximum number of elements and lines whose ranges are kept; further ones are only counted. */
  readonly elementsMax: number;
}

export interface JsonOutline {
  /** Start of the first and end of the last non-blank line; both 0 for a blank text. */
  readonly start: number;
  readonly end: number;
  readonly depth: number;
  readonly values: number;
  /** True if the scan stopped early because the depth, values, escapes or a long scalar exceed the limits. */
  readonly isExceeded: boolean;
  /** Elements of the array found so far; null if the text is not an array. */
  readonly elements: readonly Range[] | null;
  readonly elementCount: number;
  /** Non-blank lines outside all brackets. An object printed over several lines counts as one. */
  readonly lines: readonly Range[];
  readonly lineCount: number;
  /** Starts and ends of the largest arrays and objects of at most `PIECE_BYTES`, and of the longer strings, in order. */
  readonly pieces: PairList;
}

/** The result is only meaningful for JSON. For any other text it is arbitrary, and the parser then refuses the text. */
export function* outlineJson(
  bytes: Uint8Array,
  { valuesMax, depthMax, stringBytesMax, refusesLongNumbers, elementsMax }: OutlineLimits,
): Generator<void, JsonOutline> {
  const opened: number[] = [];
  const pieces = new PairList();
  const elements: Range[] = [];
  const lines: Range[] = [];
  let [deepest, values, escapes, elementCount, lineCount] = [0, 1, 0, 0, 0];
  /** Start of the current element and line; -1 while only white space was seen. */
  let [elementStart, lineStart] = [-1, -1];
  let [textStart, textEnd, stringStart] = [0, 0, 0];
  let [isElementEmpty, isInString, isEscaped] = [true, false, false];
  /** State of the array that begins the first line. */
  let array: 'none' | 'open' | 'closed' | 'broken' = 'none';
  let stepEnd = STEP_BYTES;

  const endElement = (end: number): void => {
    if (++elementCount <= elementsMax) elements.push([elementStart, end]);
    elementStart = end + 1;
    isElementEmpty = true;
  };
  const endLine = (end: number): void => {
    if (lineStart < 0) return;
    if (lineCount === 0) textStart = lineStart;
    textEnd = end;
    if (++lineCount <= elementsMax) lines.push([lineStart, end]);
    lineStart = -1;
  };
  const close = (end: number): void => {
    const start = opened.pop();
    if (start === undefined || end - start > PIECE_BYTES) return;
    while ((pieces.lastFirst() ?? -1) > start) pieces.pop();
    pieces.push(start, end);
  };
  const outline = (isExceeded: boolean): JsonOutline => ({
    start: textStart,
    end: textEnd,
    depth: deepest,
    values,
    isExceeded,
    elements: (array === 'closed' && lineCount === 1) || (array === 'open' && isExceeded) ? elements : null,
    elementCount,
    lines,
    lineCount,
    pieces,
  });

  for (let at = 0; at < bytes.length; at++) {
    if (at >= stepEnd) {
      const isTooLong = isInString
        ? at - stringStart > stringBytesMax
        : refusesLongNumbers && isInOneScalar(bytes, at - STEP_BYTES, at);
      if (isTooLong) return outline(true);
      stepEnd = at + STEP_BYTES;
      yield;
    }
    const code = bytes[at]!;
    if (isInString) {
      if (isEscaped) isEscaped = false;
      else if (code === BACKSLASH) {
        isEscaped = true;
        if (++escapes > ESCAPES_MAX) return outline(true);
      } else if (code === QUOTE) {
        isInString = false;
        if (at - stringStart > PIECE_BYTES) pieces.push(stringStart, at + 1);
      }
      continue;
    }
    if (code <= SPACE) {
      if (code === NEWLINE && opened.length === 0) endLine(at);
      continue;
    }
    const depth = opened.length;
    if (depth === 0) {
      if (array === 'closed') array = 'broken';
      if (lineStart < 0) lineStart = at;
      if (lineStart === at && lineCount === 0 && code === OPEN_BRACKET) {
        array = 'open';
        elementStart = at + 1;
      }
    }
    if (depth === 1 && code !== COMMA && code !== CLOSE_BRACKET) isElementEmpty = false;
    if (code === QUOTE) {
      isInString = true;
      stringStart = at;
    } else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      opened.push(at);
      if (depth + 1 > deepest) deepest = depth + 1;
      if (++values > valuesMax || deepest > depthMax) return outline(true);
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) {
      if (depth === 1 && array === 'open') {
        if (elementCount > 0 || !isElementEmpty) endElement(at);
        array = code === CLOSE_BRACKET ? 'closed' : 'broken';
      }
      close(at + 1);
    } else if (code === COMMA) {
      if (depth === 1 && array === 'open') endElement(at);
      if (++values > valuesMax) return outline(true);
    }
  }
  endLine(bytes.length);
  return outline(false);
}

/** True for a part of a number or literal; strings are not expected. */
function isInOneScalar(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at]! <= SPACE || !isScalar(bytes[at]!)) return false;
  return true;
}

function isScalar(code: number): boolean {
  return ![QUOTE, COMMA, COLON, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE].includes(code);
}
