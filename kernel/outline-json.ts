/**
 * The outline of a JSON text, read off its bytes before anything is parsed: how deep it is nested, how many values it holds, where
 * its elements begin and end, and which parts of it are small enough to parse in one go. A generator, so that a caller can pause.
 */

const BACKSLASH = 92;
const QUOTE = 34;
const COMMA = 44;
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

/** Escapes in strings of one text: the parser replaces those of one string in one go, at about ten nanoseconds each. */
const ESCAPES_MAX = 2_000_000;

/** Half open. */
type Range = readonly [start: number, end: number];

export interface OutlineLimits {
  /** Opening brackets and commas: within a factor of two, the number of values. */
  readonly valuesMax: number;
  readonly depthMax: number;
  /** Elements and lines whose ranges are kept; further ones are only counted. */
  readonly elementsMax: number;
}

export interface JsonOutline {
  readonly depth: number;
  readonly values: number;
  /** Whether the scan stopped early because `depth`, `values` or the number of escapes exceeds its limit. */
  readonly isExceeded: boolean;
  /** The elements of a text that is one array, as far as it was scanned; null for any other text. */
  readonly elements: readonly Range[] | null;
  readonly elementCount: number;
  /** The lines outside of every bracket that hold more than white space. A printed object is one such line. */
  readonly lines: readonly Range[];
  readonly lineCount: number;
  /** The largest arrays and objects of at most `PIECE_BYTES`, in order: start and end alternate. */
  readonly pieces: readonly number[];
}

/** Describes JSON only: for any other text it returns something, and the parser refuses it. */
export function* outlineJson(
  bytes: Uint8Array,
  { valuesMax, depthMax, elementsMax }: OutlineLimits,
): Generator<void, JsonOutline> {
  const opened: number[] = [];
  const pieces: number[] = [];
  const elements: Range[] = [];
  const lines: Range[] = [];
  let [deepest, values, escapes, elementCount, lineCount] = [0, 1, 0, 0, 0];
  /** Where the current element and line begin; -1 while only white space was seen. */
  let [elementStart, lineStart] = [-1, -1];
  let [isElementEmpty, isInString, isEscaped] = [true, false, false];
  /** The state of the array that the first line begins with. */
  let array: 'none' | 'open' | 'closed' | 'broken' = 'none';
  let stepEnd = STEP_BYTES;

  const endElement = (end: number): void => {
    if (++elementCount <= elementsMax) elements.push([elementStart, end]);
    elementStart = end + 1;
    isElementEmpty = true;
  };
  const endLine = (end: number): void => {
    if (lineStart < 0) return;
    if (++lineCount <= elementsMax) lines.push([lineStart, end]);
    lineStart = -1;
  };
  const close = (end: number): void => {
    const start = opened.pop();
    if (start === undefined || end - start > PIECE_BYTES) return;
    while (pieces.length > 0 && pieces.at(-2)! > start) pieces.length -= 2;
    pieces.push(start, end);
  };
  const outline = (isExceeded: boolean): JsonOutline => ({
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
      stepEnd = at + STEP_BYTES;
      yield;
    }
    const code = bytes[at]!;
    if (isInString) {
      if (isEscaped) isEscaped = false;
      else if (code === BACKSLASH) {
        isEscaped = true;
        if (++escapes > ESCAPES_MAX) return outline(true);
      } else if (code === QUOTE) isInString = false;
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
