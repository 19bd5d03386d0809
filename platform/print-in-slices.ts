/** Prints a response in slices, so that a list of hundreds of thousands does not block others for a second. */
import { isRawNumber, printExactJson } from '#kernel/json/exact-json.ts';
import { PrintedList } from '#kernel/json/printed-list.ts';
import { type Pace, pace } from './slices.ts';

const ITEMS_AT_ONCE = 200;

/** Depth to which long lists are searched. */
const LEVELS_MAX = 4;

/** Text, or bytes that were printed before. */
export type Piece = string | Buffer;

/** The output of `printExactJson`; null if it should be printed in slices. */
export function printShort(value: unknown): string | null {
  return isLong(value, LEVELS_MAX) ? null : printExactJson(value);
}

/** The output of `printExactJson` in pieces, in order. Throws like it. */
export async function printInSlices(value: unknown): Promise<Piece[]> {
  const pieces: Piece[] = [];
  await print(value, LEVELS_MAX, pieces, pace());
  return pieces;
}

async function print(value: unknown, levels: number, pieces: Piece[], own: Pace): Promise<void> {
  if (!isLong(value, levels)) {
    pieces.push(printExactJson(value));
  } else if (value instanceof PrintedList) {
    pieces.push(value.text);
  } else if (!Array.isArray(value)) {
    await printObject(value, levels, pieces, own);
  } else {
    for (let start = 0; start < value.length; start += ITEMS_AT_ONCE) {
      pieces.push(start === 0 ? '[' : ',', printExactJson(value.slice(start, start + ITEMS_AT_ONCE)).slice(1, -1));
      if (own.isDue()) await own.rest();
    }
    pieces.push(']');
  }
}

async function printObject(value: Record<string, unknown>, levels: number, pieces: Piece[], own: Pace): Promise<void> {
  pieces.push('{');
  let comma = '';
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined || typeof member === 'function' || typeof member === 'symbol') continue;
    pieces.push(`${comma}${JSON.stringify(key)}:`);
    comma = ',';
    await print(member, levels - 1, pieces, own);
  }
  pieces.push('}');
}

/** True if the value is, or contains within the searched depth, a long or printed list. */
function isLong(value: unknown, levels: number): value is PrintedList | unknown[] | Record<string, unknown> {
  if (value instanceof PrintedList) return true;
  if (levels === 0 || !isPlain(value)) return false;
  if (Array.isArray(value)) return value.length > ITEMS_AT_ONCE;
  for (const key in value) if (isLong(value[key], levels - 1)) return true;
  return false;
}

/** Values with their own `toJSON` are printed whole. */
function isPlain(value: unknown): value is Record<string, unknown> | unknown[] {
  return typeof value === 'object' && value !== null && !isRawNumber(value) && !('toJSON' in value);
}

/** The whole text. */
export function joinPieces(pieces: readonly Piece[]): string {
  return Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece))).toString();
}
