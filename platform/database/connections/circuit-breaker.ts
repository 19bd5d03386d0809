/**
 * Circuit breaker for a database server. The first failed connection attempt opens the circuit: callers then fail at
 * once, and one probe at a time checks whether the server is back. The first probe is immediate, because the failure
 * may have been a one-off.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { elapsedMilliseconds } from '../../clock.ts';
import { randomInt } from '../../random.ts';
import { unavailability } from '../../unavailability.ts';
import type { ConnectionTarget } from './connection-target.ts';

/** The server is unreachable; `cause` is the error of the last attempt. */
export class ServerUnavailableError extends Error {
  constructor(server: string, cause: unknown) {
    super(`${server} is unavailable: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
    this.name = 'ServerUnavailableError';
  }
}

export interface CircuitOptions {
  /** Name and address of the server, for messages. */
  readonly server: string;
  /** Opens and closes one connection. Fails as a connection attempt does, within a limited time. */
  readonly probe: () => Promise<void>;
  readonly onOpen?: (error: ServerUnavailableError) => void;
  readonly onClose?: (outageMilliseconds: number) => void;
}

/** Connecting takes milliseconds, so a few parallel attempts are enough, and few callers see the first failure. */
const ATTEMPTS_MAX = 4;
const PROBE_REST_MILLISECONDS = { first: 500, longest: 1000 };
/** An outage that starts this soon after another one continues it, including its backoff. */
const SOUND_MILLISECONDS = 10_000;
/** At most two attempts per second over all servers and listeners of this process. */
const TURN_MILLISECONDS = 500;

let nextTurn = 0;

/** Waits for the next permitted reconnect. Jitter spreads out processes. */
export async function reconnectTurn(): Promise<void> {
  const now = elapsedMilliseconds();
  const at = Math.max(nextTurn, now);
  nextTurn = at + TURN_MILLISECONDS + randomInt(TURN_MILLISECONDS / 5);
  await pause(at - now, undefined, { ref: false });
}

/**
 * Between three quarters and five quarters of the value, so that processes that failed together do not retry together.
 */
export function jitter(milliseconds: number): number {
  return milliseconds * 0.75 + randomInt(milliseconds / 2);
}

export class CircuitBreaker {
  readonly #options: CircuitOptions;
  #outage: ServerUnavailableError | null = null;
  #attempts = 0;
  #endedAt = -SOUND_MILLISECONDS;
  /** True after a lost connection or an outage: one attempt is then made before the others. */
  #isSuspect = false;
  #isWanted = false;
  #queue: (() => void)[] = [];
  #waiting: (() => void)[] = [];

  constructor(options: CircuitOptions) {
    this.#options = options;
  }

  /** The current outage. */
  get outage(): ServerUnavailableError | null {
    return this.#outage;
  }

  /** Runs `connect`, with limited concurrency. Throws {@link ServerUnavailableError} while the circuit is open. */
  async attempt(connect: () => Promise<void>): Promise<void> {
    await this.#enter();
    try {
      await connect();
      // If another attempt was refused, a success does not close the circuit: the server may be at its connection
      // limit.
      if (!this.#outage) this.#isSuspect = false;
    } catch (error) {
      if (unavailability(error) === null) throw error;
      throw this.open(error);
    } finally {
      this.#attempts -= 1;
      this.#admit();
    }
  }

  /** Resolves when the server may be tried: at once unless the circuit is open. */
  async whenAvailable(): Promise<void> {
    if (this.#outage) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** A connection was lost: the next attempt is made before others. */
  suspect(): void {
    this.#isSuspect = true;
  }

  /** Opens the circuit, or keeps it open, with this cause. */
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

  /** Probes the server until it responds, then closes the circuit; nothing else closes it. */
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
        // A server that refuses for another reason is reachable: callers see the reason in their own attempt.
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

  /** The server is back, or nobody has asked for a while: the next caller tries first. */
  #end(): void {
    this.#outage = null;
    this.#isSuspect = true;
    this.#endedAt = elapsedMilliseconds();
  }
}

export interface ReadOnlyWatchOptions {
  /** True if the database accepts writes, checked on a separate connection. Fails if it is unreachable. */
  readonly isWritable: (target: ConnectionTarget) => Promise<boolean>;
  readonly onWritable: () => void;
}

/**
 * A read-only server, such as a standby after a failover, is checked periodically while writes are attempted. Its
 * connections are kept: a new one to the same server would not help.
 */
export class ReadOnlyWatch {
  readonly #options: ReadOnlyWatchOptions;
  /** Servers that refuse writes, by name, least recently checked first. */
  readonly #refused = new Map<string, ConnectionTarget>();
  #isWatching = false;

  constructor(options: ReadOnlyWatchOptions) {
    this.#options = options;
  }

  /** Reports that this database refused a write. */
  refused(target: ConnectionTarget): void {
    this.#refused.set(target.dbName, target);
    if (!this.#isWatching) void this.#watch();
  }

  /**
   * Checks once per second, one database after the other: the databases of a server usually become writable together.
   */
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
