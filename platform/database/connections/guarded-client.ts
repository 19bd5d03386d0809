/** Base of all our connections: they cannot hang, leak or reconnect in a storm. */
import pg from 'pg';
import type { ConnectionTarget } from './connection-target.ts';
import { CONNECT_TICKS_MAX, type DatabaseServer, serverOf, timeout, type WatchedClient } from './database-server.ts';
import { GuardedSocket } from './guarded-socket.ts';
import { type BatchOutcome, type BatchStatement, PipelinedBatch } from './pipelined-batch.ts';
import { afterTicks } from '../../clock.ts';
import { inStatementSpan } from '../../observability/tracing.ts';
import { StartError } from '../../start-error.ts';

export interface GuardedConfig extends pg.ClientConfig {
  /** Connections with the same owner are closed together. */
  readonly owner?: object;
  /** Session settings requested by the startup parameters, which a pooler may drop without an error. */
  readonly expected?: ExpectedSession | undefined;
}

export interface ExpectedSession {
  readonly role: string;
  /** Null: not set. */
  readonly statementMilliseconds: number | null;
}

type Release = (error?: Error | boolean) => void;

const SETTINGS = {
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  /** None of our code holds a lock for longer; whoever waits should get an error. */
  lock_timeout: 20_000,
  /** A transaction idle for this long is abandoned: it holds locks and delays the feed. */
  idle_in_transaction_session_timeout: 60_000,
} satisfies pg.ClientConfig;

const END_TICKS_MAX = 2;
/** The server is a standby or set to read-only. */
const READ_ONLY = '25006';
/** SQLSTATE `feature_not_supported`. PostgreSQL returns it if a migration changed the result of a prepared statement. */
const NOT_SUPPORTED = '0A000';

/** How long a caller waits for a free connection: longer than connecting may take. */
const CONNECTION_TIMEOUT_MILLISECONDS = 15_000;

/** Connection options for `target`. The object itself is the owner, so that its connections can be closed together. */
export function clientConfig(target: ConnectionTarget): GuardedConfig {
  const { host, port, user, password, dbName, driverOptions } = target;
  return { host, port, user, password, database: dbName, ...driverOptions, owner: target };
}

/** Options of a pool with guarded connections. */
export function poolConfig(target: ConnectionTarget): pg.PoolConfig {
  return {
    ...clientConfig(target),
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MILLISECONDS,
    Client: GuardedClient,
  };
}

export class GuardedClient extends pg.Client implements WatchedClient {
  readonly owner: object | null;
  silentTicks = 0;
  isBusy = false;
  readonly #server: DatabaseServer;
  readonly #target: ConnectionTarget;
  readonly #expected: ExpectedSession | null;
  #isOpening = false;
  /** True while the connection is checked out of a pool. */
  #isHeld = false;
  #isReadOnly = false;
  #isRetired = false;
  #processId: number | null = null;
  #reason: Error | null = null;
  #release: Release = () => {};

  constructor(config: GuardedConfig = {}) {
    // pg-pool hides the password from being copied.
    super({
      ...SETTINGS,
      ...config,
      password: config.password,
      stream: () => new GuardedSocket(() => this.#hear()),
    });
    this.owner = config.owner ?? null;
    this.#expected = config.expected ?? null;
    this.#target = {
      host: this.host,
      port: this.port,
      user: this.user ?? '',
      password: this.password ?? '',
      dbName: this.database ?? '',
      ...(config.ssl ? { driverOptions: { ssl: config.ssl as { rejectUnauthorized: boolean } } } : {}),
    };
    this.#server = serverOf(this.#target);
    // The current statement fails, which its caller sees; an `error` event without a listener would end the process.
    this.on('error', () => this.#server.breaker.suspect());
    this.on('drain', () => {
      this.isBusy = false;
    });
    this.once('end', () => this.#ended());
  }

  get processId(): number | null {
    return this.#processId;
  }

  /** pg-pool sets this at every checkout. If the connection dies, its holder may never call it, or too late. */
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

  /** The server refused a write: the connection is replaced once the database accepts writes. */
  markReadOnly(): void {
    this.#isReadOnly = true;
    this.#server.refusedWrite(this.#target);
  }

  retireReadOnly(): void {
    if (!this.#isReadOnly) return;
    this.#isRetired = true;
    if (!this.#isHeld) this.destroy(new Error('The server refused a write on this connection'));
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
    this.#begin();
    const [text, ...others] = args;
    const run = () => (super.query as (...args: unknown[]) => unknown).call(this, ...args);
    // Queries with a callback, and submitted ones such as cursors, report to whoever created them.
    const isAwaited =
      typeof others.at(-1) !== 'function' && !(typeof text === 'object' && text !== null && 'submit' in text);
    if (!isAwaited) return run() as never;
    return this.#observe(text, run as () => Promise<unknown>) as never;
  }

  /** Sends the statements as one message. Never fails: the outcome contains the error. */
  batch(statements: readonly BatchStatement[]): Promise<BatchOutcome> {
    this.#begin();
    return new Promise((resolve) => {
      const settle = (outcome: BatchOutcome): void => {
        if (outcome.error) this.#note(outcome.error);
        resolve(outcome);
      };
      super.query(new PipelinedBatch(this.getTypeParser.bind(this), statements, settle));
    });
  }

  #begin(): void {
    if (!this.isBusy) this.silentTicks = 0;
    this.isBusy = true;
  }

  #hear(): void {
    this.silentTicks = 0;
  }

  async #observe(text: unknown, run: () => Promise<unknown>): Promise<unknown> {
    try {
      return await inStatementSpan(text, this.#target.dbName, run);
    } catch (error) {
      this.#note(error);
      throw error;
    }
  }

  #note(error: unknown): void {
    const { code } = error as { code?: unknown };
    if (code === READ_ONLY) this.markReadOnly();
    if (code === NOT_SUPPORTED) this.#isRetired = true;
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    // A frozen server does not close the connection.
    const inTime = afterTicks(END_TICKS_MAX, () => this.destroy(timeout('The connection was not closed in time')));
    this.once('end', inTime);
    if (!callback) return super.end();
    super.end(callback);
    return undefined;
  }

  tick(): void {
    this.silentTicks += 1;
  }

  /** Closes the connection at once; current statements fail with `reason`. */
  destroy(reason: Error): void {
    this.#reason ??= reason;
    if (this.#isOpening) this.connection.stream.destroy(reason);
  }

  async #open(): Promise<void> {
    if (this.#reason) throw this.#reason;
    this.#isOpening = true;
    this.#server.add(this);
    const inTime = afterTicks(CONNECT_TICKS_MAX, () => this.destroy(timeout('The server did not respond in time')));
    try {
      await super.connect();
      // With TLS, the driver has replaced the socket by a stream over it.
      if (this.ssl) this.connection.stream.on('data', () => this.#hear());
      const { rows } = await super.query<SessionRow>(SESSION);
      const [session] = rows as [SessionRow];
      this.#processId = session.pid;
      if (this.#expected) requireSession(session, this.#expected);
    } catch (error) {
      // A refused connection stays open unless the server closes it.
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

interface SessionRow {
  readonly pid: number;
  readonly role: string;
  readonly statementMilliseconds: number;
}

const SESSION = `select pg_backend_pid() as pid, current_user as role,
  (extract(epoch from current_setting('statement_timeout')::interval) * 1000)::float8 as "statementMilliseconds"`;

/** Without its role, the connection would bypass row-level security; without its time limit, reads would not end. */
function requireSession({ role, statementMilliseconds }: SessionRow, expected: ExpectedSession): void {
  const milliseconds = expected.statementMilliseconds ?? statementMilliseconds;
  if (role === expected.role && statementMilliseconds === milliseconds) return;
  throw Object.assign(
    new StartError(
      `A connection to PostgreSQL lost its startup settings: its role is ${role} instead of ${expected.role}, its statement_timeout ${statementMilliseconds} instead of ${milliseconds} ms. If a connection pooler is in between, it must pass on the startup parameter "options": remove "options" from its ignore_startup_parameters, or connect without it`,
    ),
    { code: PROTOCOL_VIOLATION },
  );
}

/** Counts as an unreachable database. */
const PROTOCOL_VIOLATION = '08P01';
