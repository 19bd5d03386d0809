/**
 * A server that refuses to write, such as a standby after a failover, is looked at now and then for as long as someone tries to
 * write. Its connections are kept meanwhile: another one to the same server would write no better.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { jitter, reconnectTurn } from './circuit-breaker.ts';
import type { ConnectionTarget } from './connection-target.ts';

export interface ReadOnlyWatchOptions {
  /** Whether the database can be written, on a connection of its own. Fails where it cannot be reached. */
  readonly isWritable: (target: ConnectionTarget) => Promise<boolean>;
  readonly onWritable: () => void;
}

const REST_MILLISECONDS = 1_000;

export class ReadOnlyWatch {
  readonly #options: ReadOnlyWatchOptions;
  /** By name, those that go longest without a look first. */
  readonly #refused = new Map<string, ConnectionTarget>();
  #isWatching = false;

  constructor(options: ReadOnlyWatchOptions) {
    this.#options = options;
  }

  /** A write to this database was refused. */
  refused(target: ConnectionTarget): void {
    this.#refused.set(target.dbName, target);
    if (!this.#isWatching) void this.#watch();
  }

  /** One look a second, at one database after the other: what makes one writable mostly does so for the whole server. */
  async #watch(): Promise<void> {
    this.#isWatching = true;
    for (let [target] = this.#refused.values(); target; [target] = this.#refused.values()) {
      await reconnectTurn();
      this.#refused.delete(target.dbName);
      if (await this.#options.isWritable(target).catch(() => false)) {
        this.#refused.clear();
        this.#options.onWritable();
      }
      await pause(jitter(REST_MILLISECONDS), undefined, { ref: false });
    }
    this.#isWatching = false;
  }
}
