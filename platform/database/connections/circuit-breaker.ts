/**
 * Keeps a process from storming a server that is away. The first failure to connect opens the circuit: from then on
 * callers fail at once, one probe at a time looks whether the server is back, and anyone who waits goes on together. The first
 * look comes at once: a connection that failed alone says nothing of the others.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { elapsedMilliseconds } from '../../clock.ts';
import { randomInt } from '../../random.ts';
import { unavailability } from '../../unavailability.ts';
import type { ConnectionTarget } from './connection-target.ts';

/** A server cannot be reached; `cause` is what the last attempt said. */
export class ServerUnavailableError extends Error {
  constructor(server: string, cause: unknown) {
    super(`${server} is unavailable: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
    this.name = 'ServerUnavailableError';
  }
}

export interface CircuitOptions {
  /** For messages: what the server is, and where. */
  readonly server: string;
  /** One connection that is closed again. Fails as connecting fails, in bounded time. */
  readonly probe: () => Promise<void>;
  readonly onOpen?: (error: ServerUnavailableError) => void;
  readonly onClose?: (outageMilliseconds: number) => void;
}

/** Connecting takes milliseconds: a few at a time are no brake, and few know of an outage from their own failure. */
const ATTEMPTS_MAX = 4;
const PROBE_REST_MILLISECONDS = { first: 500, longest: 1000 };
/** An outage that begins so soon after another one goes on with it, and so does the rest before its first probe. */
const SOUND_MILLISECONDS = 10_000;
/** Two attempts a second, of all servers and listeners of this process together. */
const TURN_MILLISECONDS = 500;

let nextTurn = 0;

/** Waits for this process's next turn to try a connection that was lost. Some jitter keeps processes apart. */
export async function reconnectTurn(): Promise<void> {
  const now = elapsedMilliseconds();
  const at = Math.max(nextTurn, now);
  nextTurn = at + TURN_MILLISECONDS + randomInt(TURN_MILLISECONDS / 5);
  await pause(at - now, undefined, { ref: false });
}

/** From three quarters to five quarters of it: processes that failed together do not come back together. */
export function jitter(milliseconds: number): number {
  return milliseconds * 0.75 + randomInt(milliseconds / 2);
}

export class CircuitBreaker {
  readonly #options: CircuitOptions;
  #outage: ServerUnavailableError | null = null;
  #attempts = 0;
  #endedAt = -SOUND_MILLISECONDS;
  /** After a loss and after an outage one attempt goes ahead of the others. */
  #isSuspect = false;
  #isWanted = false;
  #queue: (() => void)[] = [];
  #waiting: (() => void)[] = [];

  constructor(options: CircuitOptions) {
    this.#options = options;
  }

  /** Why nothing is tried at the moment. */
  get outage(): ServerUnavailableError | null {
    return this.#outage;
  }

  /** Runs `connect`, a few at a time. Throws {@link ServerUnavailableError} while the server is away. */
  async attempt(connect: () => Promise<void>): Promise<void> {
    await this.#enter();
    try {
      await connect();
      // One that gets in while another one is refused says nothing of the others: a server may be at its limit of clients.
      if (!this.#outage) this.#isSuspect = false;
    } catch (error) {
      if (unavailability(error) === null) throw error;
      throw this.open(error);
    } finally {
      this.#attempts -= 1;
      this.#admit();
    }
  }

  /** Resolves when the server can be tried, at once unless it is away. */
  async whenAvailable(): Promise<void> {
    if (this.#outage) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** A connection was lost: the next attempt goes alone. */
  suspect(): void {
    this.#isSuspect = true;
  }

  /** An outage that has begun goes on, for this cause. */
  open(cause: unknown): ServerUnavailableError {
    const isNew = this.#outage === null;
    const error = new ServerUnavailableError(this.#options.server, cause);
    this.#outage = error;
    if (isNew) {
      this.#options.onOpen?.(error);
      this.#admit();
      void this.#probeUntilAvailable(elapsedMilliseconds());
    }
    return error;
  }

  async #enter(): Promise<void> {
    for (;;) {
      if (this.#outage) {
        this.#isWanted = true;
        throw new ServerUnavailableError(this.#options.server, this.#outage.cause);
      }
      if (this.#attempts < (this.#isSuspect ? 1 : ATTEMPTS_MAX)) break;
      await new Promise<void>((resolve) => this.#queue.push(resolve));
    }
    this.#attempts += 1;
  }

  #admit(): void {
    const places = this.#outage
      ? this.#queue.length
      : Math.max((this.#isSuspect ? 1 : ATTEMPTS_MAX) - this.#attempts, 0);
    for (const enter of this.#queue.splice(0, places)) enter();
  }

  /** Nothing else ends an outage. */
  async #probeUntilAvailable(since: number): Promise<void> {
    const { first, longest } = PROBE_REST_MILLISECONDS;
    const wasSound = since - this.#endedAt >= SOUND_MILLISECONDS;
    for (let rest = wasSound ? 0 : first; ; rest = Math.min(Math.max(rest * 2, first), longest)) {
      if (rest > 0) {
        this.#isWanted = false;
        await pause(jitter(rest), undefined, { ref: false });
      }
      await reconnectTurn();
      if (rest > 0 && !this.#isWanted && this.#waiting.length === 0) return this.#end();
      try {
        await this.#options.probe();
        return this.#close(since);
      } catch (error) {
        // A server that refuses us for another reason is there: callers learn the reason from their own attempt.
        if (unavailability(error) === null) return this.#close(since);
        this.open(error);
      }
    }
  }

  #close(since: number): void {
    this.#end();
    this.#options.onClose?.(elapsedMilliseconds() - since);
    for (const goOn of this.#waiting.splice(0)) goOn();
  }

  /** The server is back, or no one has asked for a while: of those who ask next one finds out ahead of the others. */
  #end(): void {
    this.#outage = null;
    this.#isSuspect = true;
    this.#endedAt = elapsedMilliseconds();
  }
}

export interface ReadOnlyWatchOptions {
  /** Whether the database can be written, on a connection of its own. Fails where it cannot be reached. */
  readonly isWritable: (target: ConnectionTarget) => Promise<boolean>;
  readonly onWritable: () => void;
}

/**
 * A server that refuses to write, such as a standby after a failover, is looked at now and then for as long as someone tries to
 * write. Its connections are kept meanwhile: another one to the same server would write no better.
 */
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
      await pause(jitter(PROBE_REST_MILLISECONDS.longest), undefined, { ref: false });
    }
    this.#isWatching = false;
  }
}
