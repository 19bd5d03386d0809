/** A connection that cannot hang, leak or storm: every one of our own is one of these. */
import pg from 'pg';
import type { ConnectionTarget } from './connection-target.ts';
import {
  CONNECT_TICKS_MAX,
  type DatabaseServer,
  processIdOf,
  serverOf,
  timeout,
  type WatchedClient,
} from './database-server.ts';
import { guardInput } from './guard-input.ts';
import { internalsOf } from './internals.ts';
import { isCommitting } from './committing.ts';
import { withOpening } from './opening.ts';
import { readRows } from './prepared-read.ts';
import { afterTicks } from '../../clock.ts';
import { inStatementSpan } from '../../observability/tracing.ts';

export interface GuardedConfig extends pg.ClientConfig {
  /** What is closed together. */
  readonly owner?: object;
  /** Of a pool, where statements are all that is asked: nothing reads from its socket but what answers them. */
  readonly isPooled?: boolean;
}

type Release = (error?: Error | boolean) => void;

const SETTINGS = {
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  /** No code of our own needs a lock for longer; anyone who waits behind it should learn so. */
  lock_timeout: 20_000,
  /** A transaction of our own that idles so long has been forgotten: it holds locks, and the feed back. */
  idle_in_transaction_session_timeout: 60_000,
} satisfies pg.ClientConfig;

const END_TICKS_MAX = 2;
/** The server has become a standby, or is set so. */
const READ_ONLY = '25006';
/** Among others: a migration has changed what a prepared statement gives. */
const NOT_SUPPORTED = '0A000';

const OF_POOL = {
  isPooled: true,
  /** For a free connection: longer than connecting itself may take. */
  connectionTimeoutMillis: 15_000,
};

/** What connects to `target`. The very object owns its connections: they can be ended together. */
export function clientConfig(target: ConnectionTarget): GuardedConfig {
  const { host, port, user, password, dbName, driverOptions } = target;
  return { host, port, user, password, database: dbName, ...driverOptions, owner: target };
}

/** For a pool that guards its connections. */
export function poolConfig(target: ConnectionTarget): pg.PoolConfig {
  return { ...clientConfig(target), ...OF_POOL, Client: GuardedClient };
}

/** Makes a pool of somebody else's guard its connections; before any is open. */
export function guardPool(pool: pg.Pool, target: ConnectionTarget): void {
  Object.assign(pool, { Client: GuardedClient });
  Object.assign(pool.options, { ...OF_POOL, owner: target });
}

const preparedNames = new Map<string, string>();

/**
 * Says of a statement's text, and gives it back, that a connection reads it once and keeps it: for what is run all the time, of which
 * there is a fixed number. Its plan may be one for any parameters, so none should depend on how many rows they find.
 */
export function prepared(text: string): string {
  if (!preparedNames.has(text)) preparedNames.set(text, `prepared_${preparedNames.size}`);
  return text;
}

/** What `pg` gives for a command. */
const DONE = { command: 'COMMIT', rowCount: null, rows: [] };

export class GuardedClient extends pg.Client implements WatchedClient {
  readonly owner: object | null;
  silentTicks = 0;
  isBusy = false;
  readonly #server: DatabaseServer;
  readonly #target: ConnectionTarget;
  #isOpening = false;
  /** A pool has given it to someone. */
  #isHeld = false;
  #isReadOnly = false;
  #isRetired = false;
  /** Its transaction is over, and who began it does not know yet. */
  #hasCommitted = false;
  #reason: Error | null = null;
  #release: Release = () => {};

  constructor(config: GuardedConfig = {}) {
    // pg-pool hides the password from being copied.
    super({ ...SETTINGS, ...config, password: config.password });
    this.owner = config.owner ?? null;
    this.#target = {
      host: this.host,
      port: this.port,
      user: this.user ?? '',
      password: this.password ?? '',
      dbName: this.database ?? '',
      ...(config.ssl ? { driverOptions: { ssl: config.ssl as { rejectUnauthorized: boolean } } } : {}),
    };
    this.#server = serverOf(this.#target);
    // The statement under way fails, and the holder hears of it there; an `error` that no one hears would end the process.
    this.on('error', () => this.#server.breaker.suspect());
    this.on('drain', () => {
      this.isBusy = false;
    });
    this.once('end', () => this.#ended());
    internalsOf(this).on('errorMessage', ({ code }: { code?: string }) => {
      if (code === READ_ONLY) this.markReadOnly();
      if (code === NOT_SUPPORTED) this.#isRetired = true;
    });
    guardInput(this, {
      heard: () => {
        this.silentTicks = 0;
      },
      broken: (error) => this.destroy(error),
      isAlone: config.isPooled === true,
    });
  }

  get processId(): number | null {
    return processIdOf(this);
  }

  /** pg-pool sets this at every checkout. A holder whose connection has died may not come to calling it, or call it too late. */
  get release(): Release {
    return this.#release;
  }

  set release(release: Release) {
    let isReleased = false;
    this.#isHeld = true;
    this.#release = (error) => {
      if (isReleased) return;
      isReleased = true;
      this.#isHeld = false;
      release(error ?? this.#isRetired);
    };
  }

  /** The server refuses to write here: once the database can be written, this connection is replaced. */
  markReadOnly(): void {
    this.#isReadOnly = true;
    this.#server.refusedWrite(this.#target);
  }

  retireReadOnly(): void {
    if (!this.#isReadOnly) return;
    this.#isRetired = true;
    if (!this.#isHeld) this.destroy(new Error('The server did not write on this connection'));
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error | null) => void): void;
  override connect(callback?: (error: Error | null) => void): Promise<pg.Client> | undefined {
    const connected = this.#server.breaker.attempt(() => this.#open());
    if (!callback) return connected.then(() => this);
    connected.then(() => callback(null), callback);
    return undefined;
  }

  override query(...args: unknown[]): never {
    const [written, ...others] = args;
    // Nothing is sent for it, and so nothing would tell that the connection is free again.
    if (this.#hasCommitted) return this.#afterCommit(written) as never;
    if (!this.isBusy) this.silentTicks = 0;
    this.isBusy = true;
    if (isCommitting(written)) return this.#commitWith(written, others[0]) as never;
    const text = withOpening(written);
    const name = typeof text === 'string' ? preparedNames.get(text) : undefined;
    const statement = name === undefined ? text : { name, text };
    const run = () => (super.query as (...args: unknown[]) => unknown).call(this, statement, ...others);
    // What has a callback, or is a cursor, is left to its maker.
    const isAwaited =
      typeof others.at(-1) !== 'function' && !(typeof text === 'object' && text !== null && 'submit' in text);
    return (isAwaited ? inStatementSpan(text, this.#target.dbName, run as () => Promise<unknown>) : run()) as never;
  }

  async #commitWith(text: string, values: unknown): Promise<object> {
    const send = () => readRows(this, { text, values: values as readonly unknown[], transaction: { commands: [] } });
    const rows = await inStatementSpan(text, this.#target.dbName, send);
    this.#hasCommitted = true;
    return { ...DONE, rows };
  }

  async #afterCommit(text: unknown): Promise<object> {
    if (text !== 'commit' && text !== 'rollback') throw new Error('The transaction is over with its last statement');
    this.#hasCommitted = false;
    return DONE;
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    // A server that is frozen does not say goodbye.
    const inTime = afterTicks(END_TICKS_MAX, () => this.destroy(timeout('The connection was not closed in time')));
    this.once('end', inTime);
    if (!callback) return super.end();
    super.end(callback);
    return undefined;
  }

  tick(): void {
    this.silentTicks += 1;
  }

  /** Ends the connection at once; what runs on it fails with `reason`. */
  destroy(reason: Error): void {
    this.#reason ??= reason;
    if (this.#isOpening) internalsOf(this).stream.destroy(reason);
  }

  async #open(): Promise<void> {
    if (this.#reason) throw this.#reason;
    this.#isOpening = true;
    this.#server.add(this);
    const inTime = afterTicks(CONNECT_TICKS_MAX, () => this.destroy(timeout('The server did not answer in time')));
    try {
      await super.connect();
    } catch (error) {
      // A refusal leaves the socket open where the other side does not close it.
      this.destroy(error as Error);
      throw error;
    } finally {
      inTime();
    }
  }

  #ended(): void {
    this.#server.delete(this);
    this.#release(this.#reason ?? true);
  }
}
