/** What comes in on a connection and cannot be read ends that connection, not the process. */
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type pg from 'pg';

/** What `pg` keeps to itself, and where all its bytes come in. */
interface Internals {
  readonly connection: EventEmitter & {
    readonly stream: Socket;
    attachListeners(stream: Pick<Socket, 'on'>): void;
  };
}

/** SQLSTATE of a violated protocol: the class of connections that fail. */
const PROTOCOL_VIOLATION = '08P01';

export function internalsOf(client: pg.Client): Internals['connection'] {
  return (client as unknown as Internals).connection;
}

/** Before it connects. `heard` is called for all that comes, `broken` with an error for what is no answer of PostgreSQL. */
export function guardInput(client: pg.Client, heard: () => void, broken: (error: Error) => void): void {
  const connection = internalsOf(client);
  const attach = connection.attachListeners.bind(connection);
  connection.attachListeners = (stream) =>
    attach({
      on: (event: string, listener: (...args: unknown[]) => void) =>
        stream.on(
          event,
          event !== 'data'
            ? listener
            : (chunk: unknown) => {
                heard();
                try {
                  listener(chunk);
                } catch (error) {
                  broken(
                    Object.assign(new Error('What came is no answer of PostgreSQL', { cause: error }), {
                      code: PROTOCOL_VIOLATION,
                    }),
                  );
                }
              },
        ),
    } as Pick<Socket, 'on'>);
}
