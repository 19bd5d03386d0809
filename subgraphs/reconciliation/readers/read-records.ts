/**
 * Reads a file record by record: rows of CSV or TSV, elements of JSON arrays, or JSON lines. Only one record is held in
 * memory. Numbers keep their digits.
 */
import { isFields } from '#kernel/json/json-field.ts';
import type { Fields } from '#kernel/json/json-object.ts';
import { pipeline, Readable } from 'node:stream';
import { Tokenizer, TokenizerError, TokenParser, TokenParserError, TokenType } from '@streamparser/json';
import { CsvError, parse } from 'csv-parse';
import { JSON_DEPTH_MAX, parseExactJson } from '#kernel/json/exact-json.ts';
import { pace } from '#platform/slices.ts';
import { RECORD_TOKENS_MAX, ROW_BYTES_MAX } from '../config.ts';
import { BillFormatError } from '../lines/bill-line.ts';

export interface BillRecord {
  /** True for a row of a table, in which all values are strings. */
  readonly isTable: boolean;
  readonly fields: Fields;
}

/** Characters of JSON, and of a table, that are parsed without a pause. */
const SLICE_CHARACTERS = 16_384;
const TABLE_SLICE_CHARACTERS = 4_096;
/** Characters at the beginning of a file, enough to recognize the format. */
const HEAD_CHARACTERS = 65_536;
const COLUMNS_MAX = 1_000;
/** Members of a document that contain its records. */
const LISTS = ['data', 'timeSeries'];

/** Throws a {@link BillFormatError} for text that is neither JSON nor a table. */
export async function* readRecords(chunks: AsyncIterable<string>): AsyncGenerator<BillRecord> {
  const source = chunks[Symbol.asyncIterator]();
  let head = '';
  while (head.length < HEAD_CHARACTERS) {
    const next = await source.next();
    if (next.done === true) break;
    head += next.value;
  }
  const all = withHead(head, source);
  if (/^\s*[[{]/.test(head)) yield* jsonRecords(all, pathsOf(head.trimStart()));
  else if (head.trim() !== '') yield* tableRecords(all, head);
}

async function* withHead(head: string, rest: AsyncIterator<string>): AsyncGenerator<string> {
  yield head;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

/** An array contains records, or documents with lists of records. A line that is an object without such a list is a record. */
function pathsOf(head: string): string[] {
  if (head.startsWith('[')) return ['$.*'];
  return isRecord(head.split('\n', 1)[0]!) ? ['$'] : LISTS.map((name) => `$.${name}.*`);
}

function isRecord(line: string): boolean {
  try {
    return listOf(JSON.parse(line) as Fields) === null;
  } catch {
    return false;
  }
}

function listOf(document: Fields): unknown[] | null {
  const list = LISTS.map((name) => document[name]).find((value) => Array.isArray(value));
  return (list as unknown[] | undefined) ?? null;
}

async function* jsonRecords(chunks: AsyncIterable<string>, paths: string[]): AsyncGenerator<BillRecord> {
  const found: Fields[] = [];
  const bound = boundTokens();
  const { isDue, rest } = pace();
  const pages = watchPages();
  const parser = new TokenParser({
    paths: [...paths, ...PAGE_MEMBERS.map((name) => `$.${name}`)],
    keepStack: false,
    separator: '',
  });
  const tokenizer = new ExactTokenizer({ separator: '' });
  parser.onValue = ({ value, key }) => {
    if (isPageMember(key)) return pages.member(key, value);
    bound.newRecord();
    // Stops at the first value that is not an object, so that a file of millions of numbers is not read to its end.
    if (!isFields(value)) throw new BillFormatError('The file contains a record that is not a JSON object');
    found.push(value);
  };
  let charactersOfToken = 0;
  let isRead = false;
  tokenizer.onToken = (token) => {
    charactersOfToken = 0;
    bound.count(token.token);
    parser.write(token);
    if (bound.isOutside()) pages.end();
  };
  try {
    for await (const chunk of chunks)
      for (let from = 0; from < chunk.length; from += SLICE_CHARACTERS) {
        tokenizer.write(chunk.slice(from, from + SLICE_CHARACTERS));
        charactersOfToken += SLICE_CHARACTERS;
        if (charactersOfToken > ROW_BYTES_MAX)
          throw new BillFormatError(`A value of the file has more than ${ROW_BYTES_MAX} characters`);
        yield* recordsOf(found.splice(0), pages);
        // A long record spans many slices.
        if (isDue()) await rest();
      }
    isRead = true;
    tokenizer.end();
    parser.end();
  } catch (error) {
    if (isRead && !(error instanceof BillFormatError))
      throw new BillFormatError('The file ends in the middle of its JSON');
    if (error instanceof TokenizerError || error instanceof TokenParserError)
      throw new BillFormatError(`The file is not JSON: ${error.message}`);
    throw error;
  }
  yield* recordsOf(found, pages);
  pages.requireLast();
}

function* recordsOf(values: readonly Fields[], pages: Pages): Generator<BillRecord> {
  for (const value of values) {
    const list = listOf(value);
    if (list !== null) pages.read(value);
    for (const fields of list?.filter(isFields) ?? [value]) yield { isTable: false, fields };
  }
}

const PAGE_MEMBERS = ['has_more', 'next_page'];
type Pages = ReturnType<typeof watchPages>;

function isPageMember(key: unknown): key is string {
  return PAGE_MEMBERS.includes(key as string);
}

/** A file may contain several pages. Without the last one, its days are incomplete. */
function watchPages() {
  let members: Record<string, unknown> = {};
  let isFollowed = false;
  const read = ({ has_more: hasMore, next_page: next }: Fields) => {
    isFollowed = hasMore === true || (hasMore === undefined && typeof next === 'string');
  };
  return {
    read,
    member(name: string, value: unknown) {
      members[name] = value;
    },
    end() {
      if (Object.keys(members).length > 0) read(members);
      members = {};
    },
    requireLast() {
      if (isFollowed)
        throw new BillFormatError(
          'The provider has more pages of this report: download all pages into one file, one after another',
        );
    },
  };
}

class ExactTokenizer extends Tokenizer {
  /** Keeps a number as text if a double would change it. */
  protected override parseNumber(text: string): number {
    return text.length <= EXACT_LENGTH && !/e/i.test(text) ? Number(text) : (parseExactJson(text) as number);
  }
}

/** Decimal digits that a double represents exactly. */
const EXACT_LENGTH = 15;

/** Refuses a record that would fill the memory. */
function boundTokens() {
  let [depth, tokens] = [0, 0];
  return {
    newRecord() {
      tokens = 0;
    },
    isOutside: () => depth === 0,
    count(token: TokenType) {
      if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) depth++;
      if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) depth--;
      if (depth > JSON_DEPTH_MAX) throw new BillFormatError(`JSON is nested deeper than ${JSON_DEPTH_MAX} levels`);
      if (++tokens > RECORD_TOKENS_MAX)
        throw new BillFormatError(
          `A record of the file has more than ${RECORD_TOKENS_MAX} JSON tokens: import fewer rows per day or page`,
        );
    },
  };
}

async function* tableRecords(chunks: AsyncIterable<string>, head: string): AsyncGenerator<BillRecord> {
  const parser = parse({
    bom: true,
    columns: columnNames,
    delimiter: delimiterOf(head.slice(0, head.search(/[\r\n]|$/))),
    max_record_size: ROW_BYTES_MAX,
    relax_column_count_less: true,
    skip_empty_lines: true,
  });
  // The iteration throws the errors of both streams.
  const rows = pipeline(Readable.from(tableSlices(chunks), { highWaterMark: 1 }), parser, () => {});
  try {
    for await (const fields of rows) yield { isTable: true, fields: fields as Fields };
  } catch (error) {
    if (error instanceof CsvError) throw new BillFormatError(`The file is not CSV: ${error.message}`);
    throw error;
  }
}

/** Yields slices. Limits the length of a row, because the parser limits its texts but not the number of separators. */
async function* tableSlices(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  const { isDue, rest } = pace();
  let length = 0;
  for await (const chunk of chunks)
    for (let from = 0, to; from < chunk.length; from = to) {
      to = from + TABLE_SLICE_CHARACTERS;
      // The parser reads each slice by itself, so a surrogate pair must not be divided.
      if (isHighSurrogate(chunk.charCodeAt(to - 1))) to++;
      const slice = chunk.slice(from, to);
      const end = Math.max(slice.lastIndexOf('\n'), slice.lastIndexOf('\r'));
      length = end < 0 ? length + slice.length : slice.length - 1 - end;
      if (length > ROW_BYTES_MAX)
        throw new BillFormatError(`A row of the file has more than ${ROW_BYTES_MAX} characters`);
      yield slice;
      if (isDue()) await rest();
    }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** The first line names the columns. Commas, tabs or semicolons separate them. */
function columnNames(header: readonly string[]): string[] {
  if (header.length < 2 || header.length > COLUMNS_MAX)
    throw new BillFormatError('The first line must name the columns, separated by commas');
  const names = header.map((name) => name.trim());
  const repeated = names.find((name, index) => name !== '' && names.indexOf(name) !== index);
  if (repeated !== undefined)
    throw new BillFormatError(`Column ${JSON.stringify(repeated.slice(0, 80))} appears twice in the first line`);
  return names;
}

function delimiterOf(header: string): string {
  const counted = [',', '\t', ';'].map((mark) => ({ mark, count: header.split(mark).length }));
  return counted.reduce((best, other) => (other.count > best.count ? other : best)).mark;
}
