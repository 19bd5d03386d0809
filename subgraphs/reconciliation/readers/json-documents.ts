/** Reads JSON bills: one document, an array of pages, or one object per line. Numbers keep their digits. */
import { isRawNumber, parseExactJson } from '#kernel/exact-json.ts';
import { BillFormatError } from '../lines/bill-line.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** The documents of a text; arrays are flattened. Throws a {@link BillFormatError} if the text is not JSON. */
export function readJsonDocuments(text: string): JsonObject[] {
  const body = text.charCodeAt(0) === 0xfe_ff ? text.slice(1) : text;
  const documents =
    parseWhole(body) ??
    body
      .split(/\r?\n/)
      .filter((line) => line.trim() !== '')
      .map(parseLine);
  return documents
    .flatMap((document): unknown[] => (Array.isArray(document) ? (document as unknown[]) : [document]))
    .filter(isObject);
}

function parseWhole(text: string): unknown[] | null {
  try {
    return [parseExactJson(text)];
  } catch {
    return null;
  }
}

function parseLine(line: string, index: number): unknown {
  try {
    return parseExactJson(line);
  } catch {
    throw new BillFormatError(`Line ${index + 1} is not JSON`);
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

/** The objects in an array; empty for anything else. */
export function objectsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** A non-empty text, or null. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' && value !== 'null' ? value.trim() : null;
}

/** Nested properties get names such as `sku.description`. */
export function flatten(value: JsonObject, prefix = ''): JsonObject {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) =>
      isObject(item) ? Object.entries(flatten(item, `${prefix}${name}.`)) : [[prefix + name, item]],
    ),
  );
}
