/** Rows of a large answer one by one, as bytes: what is only passed on is never decoded, and a row leaves nothing to collect. */
import { Parser } from 'pg-protocol/dist/parser.js';

/** The columns of one row in PostgreSQL's text format, in UTF-8, where they lie among what came. */
export class ByteRow {
  #bytes: Buffer = NOTHING;
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  get bytes(): Buffer {
    return this.#bytes;
  }

  isNull(column: number): boolean {
    return this.start(column) < 0;
  }

  /** Where its bytes begin; negative for null. */
  start(column: number): number {
    return this.#starts[column]!;
  }

  /** Where they are over. */
  end(column: number): number {
    return this.#ends[column]!;
  }

  /** Decoded. */
  text(column: number): string | null {
    return this.isNull(column) ? null : this.#bytes.toString('utf8', this.start(column), this.end(column));
  }

  /** Becomes the row that a message of PostgreSQL holds from `at` on. */
  become(bytes: Buffer, at: number): void {
    const columns = bytes.readInt16BE(at);
    this.#bytes = bytes;
    let next = at + COUNT_BYTES;
    for (let column = 0; column < columns; column++) {
      const length = bytes.readInt32BE(next);
      next += LENGTH_BYTES;
      this.#starts[column] = length < 0 ? -1 : next;
      if (length > 0) next += length;
      this.#ends[column] = next;
    }
  }

  /** Holds nothing any more: what came would be kept until the next row. */
  release(): void {
    this.#bytes = NOTHING;
  }
}

const NOTHING = Buffer.alloc(0);
const COUNT_BYTES = 2;
const LENGTH_BYTES = 4;

/** Is given each row as it comes; afterwards the same object holds the next one. */
export type TakeRow = (row: ByteRow) => void;

/** The protocol's letter of a row. */
const DATA_ROW = 'D'.charCodeAt(0);

interface Packets {
  handlePacket(offset: number, code: number, length: number, bytes: Buffer): object;
}

/** Reads what PostgreSQL says as `pg` does, and its rows as bytes while `areRowsBytes` says so. */
export function byteRowParser(areRowsBytes: () => boolean): Parser {
  const parser = new Parser();
  const packets = parser as unknown as Packets;
  const handlePacket = packets.handlePacket.bind(parser);
  const row = new ByteRow();
  const message = { name: 'dataRow', row };
  packets.handlePacket = (offset, code, length, bytes) => {
    if (code === DATA_ROW && areRowsBytes()) {
      row.become(bytes, offset);
      return message;
    }
    row.release();
    return handlePacket(offset, code, length, bytes);
  };
  return parser;
}
