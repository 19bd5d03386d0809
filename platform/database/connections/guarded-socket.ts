/**
 * A socket for PostgreSQL connections. It reports incoming data, and a message that the protocol parser cannot read
 * only ends the connection.
 */
import { Socket } from 'node:net';

/** SQLSTATE of a protocol violation, which counts as a failed connection. */
const PROTOCOL_VIOLATION = '08P01';

export class GuardedSocket extends Socket {
  readonly #onData: () => void;

  constructor(onData: () => void) {
    super();
    this.#onData = onData;
  }

  /** The driver's parser runs in a `data` listener. An exception there ends this connection instead of the process. */
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event !== 'data') return super.emit(event, ...args);
    this.#onData();
    try {
      return super.emit(event, ...args);
    } catch (error) {
      const violation = new Error('The server sent something that is not the PostgreSQL protocol', { cause: error });
      this.destroy(Object.assign(violation, { code: PROTOCOL_VIOLATION }));
      return true;
    }
  }
}
