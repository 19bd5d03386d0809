/** A socket for PostgreSQL connections: reports incoming data, and survives an answer that the protocol parser cannot read. */
import { Socket } from 'node:net';

/** SQLSTATE of a violated protocol: unavailability counts it as a failed connection. */
const PROTOCOL_VIOLATION = '08P01';

export class GuardedSocket extends Socket {
  readonly #onData: () => void;

  constructor(onData: () => void) {
    super();
    this.#onData = onData;
  }

  /** The driver's parser runs in a `data` listener: what it throws ends this connection instead of the process. */
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
