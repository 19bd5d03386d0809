/** What comes in on a connection and cannot be read ends that connection, not the process. */
import type pg from 'pg';
import { byteRowParser } from './byte-rows.ts';
import { internalsOf } from './internals.ts';
import { pieceReader, socketOfPieces } from './read-pieces.ts';

/** SQLSTATE of a violated protocol: the class of connections that fail. */
const PROTOCOL_VIOLATION = '08P01';

export interface GuardedInput {
  /** Called for all that comes. */
  readonly heard: () => void;
  /** With an error for what is no answer of PostgreSQL. */
  readonly broken: (error: Error) => void;
  /** No one else reads from this connection's socket, as those do who copy whole tables. */
  readonly isAlone: boolean;
}

/** Before it connects. */
export function guardInput(client: pg.Client, { heard, broken, isAlone }: GuardedInput): void {
  const connection = internalsOf(client);
  const parser = byteRowParser(() => connection.areRowsBytes === true);
  const hear = (message: { readonly name: string }) =>
    connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message);
  const read = (take: (bytes: Buffer) => void) => (bytes: Buffer) => {
    heard();
    try {
      take(bytes);
    } catch (error) {
      broken(
        Object.assign(new Error('What came is no answer of PostgreSQL', { cause: error }), {
          code: PROTOCOL_VIOLATION,
        }),
      );
    }
  };
  const isOfPieces = isAlone && !connection.ssl;
  if (isOfPieces) {
    const readPiece = pieceReader(parser, hear);
    let isSignedIn = false;
    connection.once('readyForQuery', () => {
      isSignedIn = true;
    });
    // Signing in takes its time over what a message of it holds.
    connection.stream = socketOfPieces(read((piece) => readPiece(isSignedIn ? piece : Buffer.from(piece))));
  }
  const readAll = read((bytes) => parser.parse(bytes, hear));
  connection.attachListeners = (stream) => {
    if (!isOfPieces) stream.on('data', readAll);
  };
}
