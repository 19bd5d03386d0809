/** What comes in on a connection and cannot be read ends that connection, not the process. */
import type pg from 'pg';
import { byteRowParser } from './byte-rows.ts';
import { internalsOf } from './internals.ts';

/** SQLSTATE of a violated protocol: the class of connections that fail. */
const PROTOCOL_VIOLATION = '08P01';

/** Before it connects. `heard` is called for all that comes, `broken` with an error for what is no answer of PostgreSQL. */
export function guardInput(client: pg.Client, heard: () => void, broken: (error: Error) => void): void {
  const connection = internalsOf(client);
  connection.attachListeners = (stream) => {
    const parser = byteRowParser(() => connection.areRowsBytes === true);
    stream.on('data', (chunk: Buffer) => {
      heard();
      try {
        parser.parse(chunk, (message) =>
          connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message),
        );
      } catch (error) {
        broken(
          Object.assign(new Error('What came is no answer of PostgreSQL', { cause: error }), {
            code: PROTOCOL_VIOLATION,
          }),
        );
      }
    });
  };
}
