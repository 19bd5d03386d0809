/** A list of JSON that is printed where its items are read, and put out as it stands. */
import { parseExactJson } from './exact-json.ts';

export class PrintedList {
  /** The bytes of the list, as `printExactJson` prints it. */
  readonly parts: readonly Buffer[];

  constructor(parts: readonly Buffer[]) {
    this.parts = parts;
  }

  /** Its items as values; other printers print them once more. */
  toJSON(): unknown[] {
    return parseExactJson(Buffer.concat(this.parts).toString()) as unknown[];
  }
}

/** Less than what is asked of the system for itself: such memory is used again. */
const PART_BYTES = 64 * 1024;

/** Prints a list item by item into memory that is not the heap's: an item leaves nothing to collect. */
export class ListPrinter {
  readonly #parts: Buffer[] = [];
  /** Made when there is something to put: a read waits for its first row for a while. */
  #part = Buffer.alloc(0);
  #length = 0;
  #count = 0;

  /** Items so far. */
  get count(): number {
    return this.#count;
  }

  /** What is put from here on is an item. */
  begin(): void {
    this.put(this.#count === 0 ? OPEN : COMMA);
    this.#count += 1;
  }

  /** UTF-8 as it stands, between `start` and `end`. */
  put(bytes: Uint8Array, start = 0, end = bytes.length): void {
    this.#makeRoom(end - start);
    const part = this.#part;
    let length = this.#length;
    // Most are some ten bytes, for which a call costs more than a loop.
    for (let index = start; index < end; index++) part[length++] = bytes[index]!;
    this.#length = length;
  }

  putText(text: string): void {
    this.put(Buffer.from(text));
  }

  end(): PrintedList {
    this.put(this.#count === 0 ? EMPTY : CLOSE);
    this.#endPart();
    return new PrintedList(this.#parts);
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes <= this.#part.length) return;
    this.#endPart();
    this.#part = Buffer.allocUnsafeSlow(Math.max(PART_BYTES, bytes));
    this.#length = 0;
  }

  #endPart(): void {
    if (this.#length > 0) this.#parts.push(this.#part.subarray(0, this.#length));
  }
}

const OPEN = Buffer.from('[');
const COMMA = Buffer.from(',');
const CLOSE = Buffer.from(']');
const EMPTY = Buffer.from('[]');
