/**
 * Parses a JSON request body. Its values are counted before parsing, and parsing is sliced, so that no body delays
 * other requests.
 */
import { type JsonOutline, outlineJson, type OutlineLimits, PIECE_BYTES } from '#kernel/json/outline-json.ts';
import { readPieces } from '#kernel/json/read-pieces.ts';
import { fail } from '#kernel/errors.ts';
import { pace, resultInSlices } from '../slices.ts';
import { textBytes } from './read-text.ts';

export interface JsonRules {
  readonly valuesMax: number;
  readonly depthMax: number;
  /** Default: 8 MiB. */
  readonly stringBytesMax?: number;
  /** Parses a whole JSON text; throws a `SyntaxError` if it is not JSON. */
  readonly parse: (text: string) => unknown;
}

export const VALUES_MAX = 250_000;

/** Limits for a text whose size was checked before. */
export const UNLIMITED = {
  valuesMax: Infinity,
  depthMax: Infinity,
  stringBytesMax: Infinity,
  refusesLongNumbers: false,
};

const SCALARS = { stringBytesMax: 8 * 1024 * 1024, refusesLongNumbers: true };

/**
 * Fails with `VALIDATION_ERROR` if the body is not JSON or is nested too deeply, and with `PAYLOAD_TOO_LARGE` if it
 * has too many values.
 */
export async function readJson(body: Buffer, rules: JsonRules): Promise<unknown> {
  const bytes = textBytes(body);
  const outline = await outlineOf(bytes, { ...SCALARS, ...rules, elementsMax: 0 });
  refuseExceeded(outline, rules);
  return parseOutlined(bytes, outline, rules);
}

export interface ItemRules extends JsonRules {
  readonly itemsMax: number;
  /** Called with the number of items before any of them is parsed. */
  readonly reserve: (items: number) => Promise<void>;
}

/**
 * Parses a body that is one item, an array of items, or one item per line. Fails like `readJson`, and if there are too
 * many items.
 */
export async function readJsonItems(body: Buffer, rules: ItemRules): Promise<unknown[]> {
  const { itemsMax } = rules;
  const bytes = textBytes(body);
  const outline = await outlineOf(bytes, { ...SCALARS, ...rules, elementsMax: itemsMax });
  const { elements, lines, lineCount } = outline;
  const count = elements === null ? lineCount : outline.elementCount;
  if (count > itemsMax)
    fail(
      'VALIDATION_ERROR',
      `A body must contain 1 to ${itemsMax} items; this one contains ${outline.isExceeded ? 'more' : count}`,
    );
  refuseExceeded(outline, rules);
  if (lineCount === 0) fail('VALIDATION_ERROR', 'The request body is empty');
  if (elements?.length === 0)
    fail('VALIDATION_ERROR', `A body must contain 1 to ${itemsMax} items; this one contains 0`);
  await rules.reserve(count);
  const { isDue, rest } = pace();
  const items: unknown[] = [];
  for (const [start, end] of elements ?? lines) {
    items.push(await parseLong(bytes.subarray(start, end), rules));
    if (isDue()) await rest();
  }
  return items;
}

/** Parses bytes that are UTF-8 and within the limits. Fails with `VALIDATION_ERROR` if they are not JSON. */
export async function parseLong(bytes: Buffer, rules: Pick<JsonRules, 'parse'>): Promise<unknown> {
  if (isShort(bytes)) return parseShort(bytes, rules);
  const outline = await outlineOf(bytes, { ...UNLIMITED, elementsMax: 0 });
  return parseOutlined(bytes, outline, rules);
}

/** True if the bytes can be parsed at once without delaying others. */
export function isShort(bytes: Buffer): boolean {
  return bytes.length <= PIECE_BYTES;
}

/** `parseLong` for short bytes. */
export function parseShort(bytes: Buffer, { parse }: Pick<JsonRules, 'parse'>): unknown {
  try {
    return parse(bytes.toString());
  } catch (error) {
    return refuse(error);
  }
}

export function outlineOf(bytes: Buffer, limits: OutlineLimits): Promise<JsonOutline> {
  return resultInSlices(outlineJson(bytes, limits));
}

function refuseExceeded({ isExceeded, depth }: JsonOutline, { valuesMax, depthMax }: JsonRules): void {
  if (depth > depthMax) fail('VALIDATION_ERROR', `The request body must not be nested deeper than ${depthMax} levels`);
  if (isExceeded) tooManyValues(valuesMax);
}

/** Fails with `PAYLOAD_TOO_LARGE`. */
export function tooManyValues(valuesMax: number): never {
  return fail(
    'PAYLOAD_TOO_LARGE',
    `The request body contains more than ${valuesMax} values, too many escapes, or a value that is too long`,
  );
}

async function parseOutlined(
  bytes: Buffer,
  { start, end, pieces, depth }: JsonOutline,
  { parse }: Pick<JsonRules, 'parse'>,
): Promise<unknown> {
  if (isShort(bytes)) return parseShort(bytes, { parse });
  // A scalar, which is not divided into pieces, may be surrounded by megabytes of blank lines.
  if (depth === 0) return orRefuse(() => parse(bytes.toString('utf8', start, end)));
  return orRefuse(() => resultInSlices(readPieces(bytes, pieces, parse)));
}

async function orRefuse(read: () => unknown): Promise<unknown> {
  try {
    return await read();
  } catch (error) {
    return refuse(error);
  }
}

function refuse(error: unknown): never {
  if (!(error instanceof SyntaxError)) throw error;
  return fail('VALIDATION_ERROR', `The request body is not valid JSON: ${error.message}`);
}
