/** What `pg` keeps to itself. */
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type pg from 'pg';

export interface Connection extends EventEmitter {
  /** Replaced at most before it connects. */
  stream: Socket;
  /** `false` where it is not encrypted. */
  readonly ssl: unknown;
  /** Ends a message of statements: they are answered together. */
  sync(): void;
  /** Where all its bytes come in. */
  attachListeners(stream: Pick<Socket, 'on'>): void;
  /** Our own: how the rows that come now are read. */
  areRowsBytes?: boolean;
}

export function internalsOf(client: pg.Client): Connection {
  return (client as unknown as { readonly connection: Connection }).connection;
}
