/**
 * Reads the rows of an export file one by one: CSV with a header, a JSON array, a JSON document with an array `data`, or
 * one JSON object per line. A row that cannot be read does not stop the others.
 */
import { JSONParser } from '@streamparser/json';
import { CsvError, parse } from 'csv-parse';
import type { Fields } from './history-row.ts';

export type ReadRow = { readonly fields: Fields } | { readonly error: string };

/** Bytes at the beginning of a file, enough to recognize the format. */
const HEAD_BYTES = 65_536;

/** A JSON document is read in pieces; `rowBytesMax` limits the rows of the other formats. */
export async function* readRows(chunks: AsyncIterable<Uint8Array>, rowBytesMax: number): AsyncGenerator<ReadRow> {
  const source = chunks[Symbol.asyncIterator]();
  let head: Uint8Array = new Uint8Array();
  let isWhole = false;
  while (!isWhole && head.length < HEAD_BYTES) {
    const next = await source.next();
    if (next.done === true) isWhole = true;
    else head = Buffer.concat([head, next.value]);
  }
  const all = withHead(head, source);
  const text = new TextDecoder().decode(head).trimStart();
  if (text === '') return;
  try {
    if (!/^[[{]/.test(text)) yield* csvRows(all, rowBytesMax);
    else if (text.startsWith('{') && isLines(text)) yield* lineRows(all, rowBytesMax);
    else yield* documentRows(all);
  } catch (error) {
    if (!(error instanceof EncodingError)) throw error;
    yield { error: 'The file is not valid UTF-8' };
  }
}

class EncodingError extends Error {}

/** Throws an {@link EncodingError} before a chunk that is not UTF-8, since its texts would be damaged. */
async function* withHead(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const check = (bytes?: Uint8Array) => {
    try {
      decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw new EncodingError();
    }
  };
  check(head);
  yield head;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
    check(next.value);
    yield next.value;
  }
  check();
}

/** True if the first line is an object of its own, and not a document with a list of rows. */
function isLines(text: string): boolean {
  const line = text.split('\n', 1)[0]!;
  try {
    return !Array.isArray((JSON.parse(line) as Fields)['data']);
  } catch {
    // A first line longer than the head: a document is written with line breaks, or begins with its list.
    return line.length >= HEAD_BYTES / 2 && !/^\{\s*"data"\s*:\s*\[/.test(line);
  }
}

async function* csvRows(chunks: AsyncIterable<Uint8Array>, rowBytesMax: number): AsyncGenerator<ReadRow> {
  const found: ReadRow[] = [];
  const parser = parse({
    bom: true,
    columns: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: rowBytesMax,
    // The stream would lose the rows before an error.
    on_record: (fields: Fields) => void found.push({ fields }),
  });
  parser.on('error', () => {});
  let failure: Error | null = null;
  for await (const chunk of chunks) {
    failure = await failureOf((done) => parser.write(chunk, done));
    yield* found.splice(0);
    if (failure !== null) break;
  }
  failure ??= await failureOf((done) => parser.end(done));
  yield* found;
  if (failure !== null) yield { error: csvError(failure, rowBytesMax) };
}

function failureOf(act: (done: (error?: Error | null) => void) => void): Promise<Error | null> {
  return new Promise((resolve) => {
    act((error) => resolve(error ?? null));
  });
}

/** The parser cannot find the next row after an error. */
function csvError(failure: Error, rowBytesMax: number): string {
  return failure instanceof CsvError && failure.code === 'CSV_MAX_RECORD_SIZE'
    ? `The row at line ${String(failure['lines'])} is longer than ${rowBytesMax} bytes; the rest of the file was not read`
    : `The rest of the file is not CSV: ${failure.message}`;
}

async function* lineRows(chunks: AsyncIterable<Uint8Array>, rowBytesMax: number): AsyncGenerator<ReadRow> {
  const decoder = new TextDecoder();
  let open = '';
  for await (const chunk of chunks) {
    const lines = (open + decoder.decode(chunk, { stream: true })).split('\n');
    open = lines.pop()!;
    for (const line of lines) yield* lineRow(line);
    if (open.length > rowBytesMax) {
      yield { error: `A line is longer than ${rowBytesMax} characters; the rest of the file was not read` };
      return;
    }
  }
  yield* lineRow(open + decoder.decode());
}

function* lineRow(line: string): Generator<ReadRow> {
  if (line.trim() === '') return;
  try {
    yield asRow(JSON.parse(line));
  } catch {
    yield { error: 'The line is not JSON' };
  }
}

/** Memory holds one row, however large the document is. */
async function* documentRows(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ReadRow> {
  const parser = new JSONParser({ paths: ['$.*', '$.data.*'], keepStack: false });
  const found: ReadRow[] = [];
  let isList = false;
  let failure: string | null = null;
  parser.onValue = ({ value, key, parent, stack }) => {
    if (stack.length === 1 && Array.isArray(parent)) isList = true;
    // In a document, the elements of `data` are rows, or `data` is a row itself.
    const isRow = stack.length === 1 ? key === 'data' && !Array.isArray(value) : typeof key === 'number';
    if (isList || isRow) found.push(asRow(value));
  };
  parser.onError = (error) => {
    failure = error.message;
  };
  for await (const chunk of chunks) {
    parser.write(chunk);
    yield* found.splice(0);
    if (failure !== null) {
      yield { error: `The rest of the file is not JSON: ${String(failure)}` };
      return;
    }
  }
  if (!parser.isEnded) yield { error: 'The file ends in the middle of its JSON' };
}

function asRow(value: unknown): ReadRow {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { fields: value as Fields }
    : { error: 'The row is not an object' };
}
