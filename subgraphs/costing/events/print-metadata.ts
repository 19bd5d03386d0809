/** Prints metadata as `printExactJson` prints what `readMetadata` gives: nearly always the stored bytes, and what is to be added to them. */
import { parseExactJson, printExactJson } from '../../../kernel/exact-json.ts';
import type { ListPrinter } from '../../../kernel/printed-list.ts';
import type { ByteRow } from '../../../platform/database/connections/byte-rows.ts';
import { readMetadata, type StoredAttribution } from './read-metadata.ts';

/** Which columns of a row hold what `readMetadata` reads. */
export interface MetadataColumns {
  readonly metadataJson: number;
  readonly provider: number;
  readonly feature: number;
  readonly agentId: number;
  readonly workflowId: number;
  readonly units: number;
}

/** Puts an object. */
export type PrintMetadata = (row: ByteRow, list: ListPrinter) => void;

interface Member {
  readonly key: Buffer;
  readonly column: number;
  /** As far as its value. */
  readonly opening: Buffer;
  readonly openingOfFirst: Buffer;
  /** Otherwise a number. */
  readonly isText: boolean;
}

const character = (text: string) => text.charCodeAt(0);
const SPACE = character(' ');
const QUOTE = character('"');
const BACKSLASH = character('\\');
const COLON = character(':');
const OPEN = character('{');
const MINUS = character('-');
const POINT = character('.');
const ZERO = character('0');
const NINE = character('9');
const [EXPONENT, LARGE_EXPONENT] = [character('e'), character('E')];

const [OPEN_BYTES, CLOSE_BYTES, QUOTE_BYTES] = [Buffer.from('{'), Buffer.from('}'), Buffer.from('"')];

/** The object's bytes do not tell by themselves how they are to be printed. */
const IS_NOT_PLAIN = -1;

export function metadataPrinter(columns: MetadataColumns): PrintMetadata {
  const members = [
    member('provider', columns.provider),
    member('feature', columns.feature),
    member('agent_id', columns.agentId),
    member('workflow_id', columns.workflowId),
    member('units', columns.units, false),
  ];
  return (row, list) => {
    const held = membersHeld(row, columns.metadataJson, members);
    if (held === IS_NOT_PLAIN) list.putText(printExactJson(readMetadata(decoded(row, columns))));
    else putExtended(row, columns.metadataJson, members, held, list);
  };
}

function member(key: string, column: number, isText = true): Member {
  const opening = `"${key}":${isText ? '"' : ''}`;
  return {
    key: Buffer.from(key),
    column,
    opening: Buffer.from(`,${opening}`),
    openingOfFirst: Buffer.from(opening),
    isText,
  };
}

/** The object without its end, the members that it does not hold, and the end. */
function putExtended(row: ByteRow, column: number, members: readonly Member[], held: number, list: ListPrinter): void {
  const { bytes } = row;
  const isStored = !row.isNull(column);
  let isEmpty = !isStored || row.end(column) - row.start(column) === '{}'.length;
  if (isStored) list.put(bytes, row.start(column), row.end(column) - 1);
  else list.put(OPEN_BYTES);
  for (let index = 0; index < members.length; index++) {
    const { column: own, opening, openingOfFirst, isText } = members[index]!;
    if (row.isNull(own) || (held & (1 << index)) !== 0) continue;
    list.put(isEmpty ? openingOfFirst : opening);
    isEmpty = false;
    if (isText) {
      list.put(bytes, row.start(own), row.end(own));
      list.put(QUOTE_BYTES);
    } else {
      list.putText(printExactJson(parseExactJson(row.text(own)!)));
    }
  }
  list.put(CLOSE_BYTES);
}

/**
 * Which of `members` the object holds, a bit for each. Not plain are escapes; objects within, whose keys are others; a member that holds something
 * else than its column; and what other printers print in another way: spaces, and some numbers.
 */
function membersHeld(row: ByteRow, column: number, members: readonly Member[]): number {
  const { bytes } = row;
  for (const { column: own, isText } of members)
    if (isText && !row.isNull(own) && hasEscape(row, own)) return IS_NOT_PLAIN;
  if (row.isNull(column)) return 0;
  const end = row.end(column);
  let at = row.start(column);
  if (bytes[at++] !== OPEN) return IS_NOT_PLAIN;
  let held = 0;
  while (at < end) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      const start = at + 1;
      const quote = endOfText(bytes, start, end);
      if (quote === IS_NOT_PLAIN) return IS_NOT_PLAIN;
      at = quote + 1;
      if (bytes[at] !== COLON) continue;
      at += 1;
      const index = members.findIndex(({ key }) => isSame(bytes, start, quote, key, 0, key.length));
      if (index === -1) continue;
      const bit = 1 << index;
      if ((held & bit) !== 0 || !holdsColumn(row, at, members[index]!)) return IS_NOT_PLAIN;
      held |= bit;
    } else if (byte === MINUS || isDigit(byte)) {
      at = endOfNumber(bytes, at);
      if (at === IS_NOT_PLAIN) return IS_NOT_PLAIN;
    } else if (byte === OPEN || byte <= SPACE) {
      return IS_NOT_PLAIN;
    } else {
      at += 1;
    }
  }
  return held;
}

/** The value that begins at `at` is that of the column, where that has one. */
function holdsColumn(row: ByteRow, at: number, { column, isText }: Member): boolean {
  if (row.isNull(column)) return true;
  const { bytes } = row;
  const end = at + 1 + row.end(column) - row.start(column);
  return (
    isText &&
    bytes[at] === QUOTE &&
    bytes[end] === QUOTE &&
    isSame(bytes, at + 1, end, bytes, row.start(column), row.end(column))
  );
}

function hasEscape(row: ByteRow, column: number): boolean {
  const { bytes } = row;
  for (let at = row.start(column); at < row.end(column); at++) {
    const byte = bytes[at]!;
    if (byte < SPACE || byte === QUOTE || byte === BACKSLASH) return true;
  }
  return false;
}

/** Its closing quote. */
function endOfText(bytes: Uint8Array, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) return IS_NOT_PLAIN;
  }
  return IS_NOT_PLAIN;
}

/** Behind its last digit. Not plain: an exponent, a fraction that ends in zero, a zero below zero. */
function endOfNumber(bytes: Uint8Array, start: number): number {
  let at = bytes[start] === MINUS ? start + 1 : start;
  const digits = at;
  let hasPoint = false;
  for (; isDigit(bytes[at]!) || bytes[at] === POINT; at++) if (bytes[at] === POINT) hasPoint = true;
  if (bytes[at] === EXPONENT || bytes[at] === LARGE_EXPONENT) return IS_NOT_PLAIN;
  if (hasPoint && bytes[at - 1] === ZERO) return IS_NOT_PLAIN;
  return digits > start && at === digits + 1 && bytes[digits] === ZERO ? IS_NOT_PLAIN : at;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

function isSame(one: Uint8Array, start: number, end: number, other: Uint8Array, from: number, to: number): boolean {
  if (end - start !== to - from) return false;
  for (let at = start, its = from; at < end; at++, its++) if (one[at] !== other[its]) return false;
  return true;
}

function decoded(row: ByteRow, columns: MetadataColumns): StoredAttribution {
  return {
    metadataJson: row.text(columns.metadataJson),
    provider: row.text(columns.provider),
    feature: row.text(columns.feature),
    agentId: row.text(columns.agentId),
    workflowId: row.text(columns.workflowId),
    units: row.text(columns.units),
  };
}
