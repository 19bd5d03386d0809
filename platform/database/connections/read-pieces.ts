/** What connections read goes through one piece of memory that all of them share: it leaves nothing to collect, and nothing of it may be kept. */
import { Socket } from 'node:net';
import type { Parser } from 'pg-protocol/dist/parser.js';

/** As much as Node reads at once. */
const SHARED_BYTES = 64 * 1024;
let shared: Buffer | null = null;

/** A socket that is no stream to read from: `take` is given each piece instead, which holds for as long as the call. */
export function socketOfPieces(take: (piece: Buffer) => void): Socket {
  shared ??= Buffer.allocUnsafeSlow(SHARED_BYTES);
  return new Socket({
    onread: {
      buffer: shared,
      callback(length, bytes) {
        take((bytes as Buffer).subarray(0, length));
        return true;
      },
    },
  });
}

/** Where a parser of `pg` keeps what no message has ended yet: the very memory that it was given. */
interface Unread {
  buffer: Buffer;
  bufferOffset: number;
  bufferLength: number;
}

type Heard = Parameters<Parser['parse']>[1];

const NOTHING = Buffer.alloc(0);
/** A letter, and the length of the message without it. */
const HEADER_BYTES = 5;

/** Has `parser` read messages that come in pieces. Of a piece that does not end a message, the rest is copied until it is whole. */
export function pieceReader(parser: Parser, heard: Heard): (piece: Buffer) => void {
  const unread = parser as unknown as Unread;
  /** The beginning of a message is the first `length` bytes of this. */
  let begun = NOTHING;
  let length = 0;

  const add = (bytes: Buffer): void => {
    if (length + bytes.length > begun.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length + bytes.length, 2 * begun.length));
      begun.copy(larger, 0, 0, length);
      begun = larger;
    }
    length += bytes.copy(begun, length);
  };
  /** Gives what is left of the piece once the message is whole. */
  const complete = (piece: Buffer): Buffer => {
    let rest = piece;
    while (length > 0 && rest.length > 0) {
      const whole = length < HEADER_BYTES ? HEADER_BYTES : 1 + begun.readUInt32BE(1);
      const missing = Math.min(whole - length, rest.length);
      add(rest.subarray(0, missing));
      rest = rest.subarray(missing);
      if (length < HEADER_BYTES || length < 1 + begun.readUInt32BE(1)) continue;
      const message = begun.subarray(0, length);
      length = 0;
      if (begun.length > SHARED_BYTES) begun = NOTHING;
      parser.parse(message, heard);
    }
    return rest;
  };
  return (piece) => {
    const rest = complete(piece);
    if (rest.length === 0) return;
    parser.parse(rest, heard);
    const { buffer, bufferOffset, bufferLength } = unread;
    if (bufferLength === 0) return;
    unread.buffer = NOTHING;
    unread.bufferOffset = unread.bufferLength = 0;
    add(buffer.subarray(bufferOffset, bufferOffset + bufferLength));
  };
}
