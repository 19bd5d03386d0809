/**
 * Parses a long JSON text in pieces: runs of small members go to the built-in parser, and only the surrounding
 * brackets are handled here.
 */

import { PIECE_BYTES } from './outline-json.ts';
import type { PairList } from './pair-list.ts';

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const SPACE = 32;
const BACKSLASH = 92;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** An array or object that is too large for one call of the parser. */
interface Frame {
  readonly value: unknown[] | Record<string, unknown>;
  /** Key of the piece in its parent, if that is an object. */
  readonly key: string;
}

/**
 * Yields after each piece. `pieces` comes from `outlineJson`; `parse` parses a whole JSON text. The bytes must be
 * valid UTF-8. Throws a `SyntaxError` if they are not JSON. `__proto__` is an ordinary own key.
 */
export function* readPieces(
  bytes: Buffer,
  pieces: Pick<PairList, 'at'>,
  parse: (text: string) => unknown,
): Generator<void, unknown> {
  const frames: Frame[] = [];
  let piece = 0;
  let at = 0;
  /** True if a member must follow (after a comma), may follow (after the opening bracket), or must not. */
  let member: 'required' | 'possible' | 'none' = 'none';

  const skipSpace = (): number => {
    while (isSpace(bytes[at])) at++;
    return bytes[at] ?? 0;
  };
  const open = (key: string): void => {
    const code = skipSpace();
    if (code !== OPEN_BRACKET && code !== OPEN_BRACE) unexpected(at);
    frames.push({ value: code === OPEN_BRACKET ? [] : {}, key });
    at++;
    member = 'possible';
  };
  /** Reads the small members of one piece. Returns whether there were any. */
  const readRun = (frame: Frame): boolean => {
    const start = at;
    const run = endOfRun(bytes, start, pieces, piece);
    if (run.end <= start) return false;
    const text = bytes.toString('utf8', start, run.end);
    if (text.trim() === '') return false;
    if (Array.isArray(frame.value)) {
      for (const value of parse(`[${text}]`) as unknown[]) frame.value.push(value);
    } else {
      for (const [key, value] of Object.entries(parse(`{${text}}`) as object)) put(frame.value, key, value);
    }
    piece = run.piece;
    at = run.end;
    member = 'none';
    return true;
  };
  const readKey = (): string => {
    if (skipSpace() !== QUOTE) unexpected(at);
    const isPiece = at === pieces.at(piece);
    const end = isPiece ? pieces.at(piece + 1)! : endOfString(bytes, at);
    if (isPiece) piece += 2;
    const key = parse(bytes.toString('utf8', at, end)) as string;
    at = end;
    if (skipSpace() !== COLON) unexpected(at);
    at++;
    return key;
  };

  open('');
  for (;;) {
    const frame = frames.at(-1)!;
    if (member !== 'none' && readRun(frame)) yield;
    const code = skipSpace();
    if (code === COMMA && member === 'none') {
      at++;
      member = 'required';
    } else if (code === (Array.isArray(frame.value) ? CLOSE_BRACKET : CLOSE_BRACE) && member !== 'required') {
      at++;
      frames.pop();
      member = 'none';
      const parent = frames.at(-1);
      if (!parent) {
        skipSpace();
        return at < bytes.length ? unexpected(at) : frame.value;
      }
      if (Array.isArray(parent.value)) parent.value.push(frame.value);
      else put(parent.value, frame.key, frame.value);
    } else if (member === 'none' || code === COMMA) {
      unexpected(at);
    } else {
      open(Array.isArray(frame.value) ? '' : readKey());
    }
  }
}

/** End of the members of a piece: a comma or closing bracket before a member that is too large. */
function endOfRun(
  bytes: Uint8Array,
  start: number,
  pieces: Pick<PairList, 'at'>,
  firstPiece: number,
): { readonly end: number; readonly piece: number } {
  let run = { end: start, piece: firstPiece };
  let piece = firstPiece;
  for (let at = start; at < bytes.length;) {
    const code = bytes[at]!;
    if (at === pieces.at(piece)) {
      at = pieces.at(piece + 1)!;
      piece += 2;
    } else if (code === QUOTE) {
      at = endOfString(bytes, at);
    } else if (code === COMMA) {
      if (at - start > PIECE_BYTES && run.end > start) return run;
      run = { end: at, piece };
      at++;
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) {
      return { end: at, piece };
    } else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      return run;
    } else {
      at++;
    }
  }
  return run;
}

/** Index after the closing quote, or the end of the text. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    if (bytes[at] === BACKSLASH) at++;
    else if (bytes[at] === QUOTE) return at + 1;
  }
  return bytes.length;
}

function put(fields: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(fields, key, { value, writable: true, enumerable: true, configurable: true });
  else fields[key] = value;
}

function isSpace(code: number | undefined): boolean {
  return code === SPACE || code === 10 || code === 13 || code === 9;
}

function unexpected(at: number): never {
  throw new SyntaxError(`Unexpected token in JSON at byte ${at}`);
}
