/**
 * The database servers of this process: their connections, whether they respond, and which connections to close if they
 * do not.
 */
import pg from 'pg';
import { afterTicks, everyTick } from '../../clock.ts';
import type { Log } from '../../log.ts';
import { unavailability } from '../../unavailability.ts';
import { CircuitBreaker, ReadOnlyWatch } from './circuit-breaker.ts';
import type { ConnectionTarget } from './connection-target.ts';
import { GuardedSocket } from './guarded-socket.ts';

/** A connection that the server object watches. */
export interface WatchedClient {
  /** Owner: connections with the same owner are closed together. */
  readonly owner: object | null;
  readonly processId: number | null;
  /** True if a response is expected. */
  readonly isBusy: boolean;
  /** Ticks since the last data from the server or the last request. */
  readonly silentTicks: number;
  tick(): void;
  destroy(reason: Error): void;
  /** Closes a connection that was refused a write, at once or when it is released. */
  retireReadOnly(): void;
}

export const CONNECT_TICKS_MAX = 5;

/** After this many ticks without data, a statement is checked; most are only slow. The second check comes sooner. */
const SILENT_TICKS_MAX = 5;
const DOUBT_TICKS = 2;
/** After this many checks in which PostgreSQL runs nothing for a waiting connection, the response is lost. */
const DOUBTS_MAX = 2;

/** Finds the backends, among the given ones, that are idle or gone. */
const LOOK_AFTER = `
  select array(
    select waiting.pid from unnest($1::int[]) as waiting(pid)
    where not exists (select from pg_stat_activity a where a.pid = waiting.pid and coalesce(a.state, '') not like 'idle%')) as resting`;

const IS_WRITABLE = "select current_setting('transaction_read_only') = 'off' as writable";

export class DatabaseServer {
  readonly breaker: CircuitBreaker;
  readonly #readOnlyWatch: ReadOnlyWatch;
  readonly #target: ConnectionTarget;
  readonly #clients = new Set<WatchedClient>();
  readonly #doubts = new WeakMap<WatchedClient, number>();
  #stopTicking: (() => void) | null = null;
  #restTicks = 0;
  #look: Promise<void> | null = null;

  constructor(server: string, target: ConnectionTarget) {
    this.#target = target;
    this.breaker = new CircuitBreaker({
      server: `The database server ${server}`,
      probe: async () => {
        aborting.signal.throwIfAborted();
        await connectOnce(target, async () => {});
      },
      onOpen: (error) => report?.error({ err: error }, 'The database server is unavailable'),
      onClose: (milliseconds) =>
        report?.info({ server, seconds: Math.round(milliseconds / 1000) }, 'The database server is available again'),
    });
    this.#readOnlyWatch = new ReadOnlyWatch({
      // An unreachable server is probed by the circuit breaker.
      isWritable: async (database) => !this.breaker.outage && (await isWritable(database)),
      onWritable: () => {
        for (const client of [...this.#clients]) client.retireReadOnly();
      },
    });
  }

  add(client: WatchedClient): void {
    this.#clients.add(client);
    this.#stopTicking ??= everyTick(() => this.#tick());
  }

  delete(client: WatchedClient): void {
    this.#clients.delete(client);
    if (this.#clients.size > 0) return;
    this.#stopTicking?.();
    this.#stopTicking = null;
  }

  /** Closes connections, including busy ones. */
  destroy(reason: Error, owner: object | null = null): void {
    for (const client of [...this.#clients]) if (owner === null || client.owner === owner) client.destroy(reason);
  }

  /** Reports a refused write; the connection is kept until the database accepts writes again. */
  refusedWrite(target: ConnectionTarget): void {
    this.#readOnlyWatch.refused(target);
  }

  /**
   * True if the server is unreachable, for callers that wait for others' statements. Checks, unless it did so in the
   * last seconds.
   */
  async findOutage(): Promise<Error | null> {
    if (!this.breaker.outage) await (this.#look ?? (this.#restTicks > 0 ? null : this.#lookAfter(this.#silent())));
    return this.breaker.outage;
  }

  #tick(): void {
    for (const client of this.#clients) client.tick();
    this.#restTicks -= 1;
    const waiting = this.#silent();
    if (waiting.length === 0) return;
    if (this.breaker.outage && isSilent(this.breaker.outage.cause))
      return this.#cutOff(SILENT_TICKS_MAX, this.breaker.outage);
    if (this.#restTicks <= 0) void this.#lookAfter(waiting);
  }

  #silent(): WatchedClient[] {
    return [...this.#clients].filter((client) => client.isBusy && client.silentTicks >= SILENT_TICKS_MAX);
  }

  /** Idle connections are affected too: a statement on one would hang as well. */
  #cutOff(silentTicks: number, reason: Error): void {
    for (const client of [...this.#clients])
      if (client.silentTicks >= silentTicks) client.destroy(timeout(reason.message));
  }

  /**
   * A separate connection finds out whether the server is frozen, the connection is broken, or the statement is only
   * slow.
   */
  async #lookAfter(waiting: readonly WatchedClient[]): Promise<void> {
    this.#restTicks = SILENT_TICKS_MAX;
    this.#look = this.#lookOnce(waiting);
    await this.#look;
    this.#look = null;
  }

  async #lookOnce(waiting: readonly WatchedClient[]): Promise<void> {
    try {
      const ids = waiting.flatMap(({ processId }) => processId ?? []);
      await connectOnce(this.#target, async (client) => {
        const {
          rows: [row],
        } = await client.query<{ resting: number[] }>(LOOK_AFTER, [ids]);
        for (const one of waiting) this.#doubt(one, row?.resting ?? []);
      });
    } catch (error) {
      if (unavailability(error) === null || !isSilent(error)) return;
      this.#cutOff(SILENT_TICKS_MAX, this.breaker.open(error));
    }
  }

  #doubt(client: WatchedClient, resting: readonly number[]): void {
    const isResting =
      client.processId !== null &&
      resting.includes(client.processId) &&
      client.isBusy &&
      client.silentTicks >= SILENT_TICKS_MAX;
    const doubts = isResting ? (this.#doubts.get(client) ?? 0) + 1 : 0;
    this.#doubts.set(client, doubts);
    if (doubts === 1) this.#restTicks = DOUBT_TICKS;
    if (doubts < DOUBTS_MAX) return;
    const { silentTicks } = client;
    const reason = timeout('The response to a statement did not arrive');
    client.destroy(reason);
    // The same cause probably broke others: connections idle for as long are cheaper to replace than to try.
    for (const other of [...this.#clients])
      if (!other.isBusy && other.silentTicks >= silentTicks) other.destroy(reason);
  }
}

const aborting = new AbortController();

/** Aborted by {@link abortConnections} when the process must stop. */
export const connectionsAborted: AbortSignal = aborting.signal;

const servers = new Map<string, DatabaseServer>();
let report: Log | null = null;

/** The server at the host and port of a target. Databases on one server share the object. */
export function serverOf(target: ConnectionTarget): DatabaseServer {
  const name = target.host.startsWith('/') ? target.host : `${target.host}:${target.port}`;
  const server = servers.get(name) ?? new DatabaseServer(name, target);
  servers.set(name, server);
  return server;
}

/** Logs one line when an outage starts and one when it ends. */
export function reportOutages(log: Log): void {
  report = log;
}

/** Closes every connection to any server, when the process must stop. */
export function abortConnections(reason: Error): void {
  const aborted = Object.assign(reason, { code: 'ECONNABORTED' });
  aborting.abort(aborted);
  report = null;
  for (const server of servers.values()) {
    server.breaker.open(aborted);
    server.destroy(aborted);
  }
}

/** An error that counts as a timeout. */
export function timeout(message: string): Error {
  return Object.assign(new Error(message), { code: 'ETIMEDOUT' });
}

/** True if the server did not respond at all. A refusal for lack of connections is a response. */
function isSilent(error: unknown): boolean {
  return unavailability(error)?.state !== 'overloaded';
}

async function isWritable(target: ConnectionTarget): Promise<boolean> {
  return connectOnce(target, async (client) => {
    const { rows } = await client.query<{ writable: boolean }>(IS_WRITABLE);
    return rows[0]?.writable === true;
  });
}

/** A connection for one check, in bounded time. */
async function connectOnce<Result>(
  target: ConnectionTarget,
  look: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({
    host: target.host,
    port: target.port,
    user: target.user,
    password: target.password,
    database: target.dbName,
    ...target.driverOptions,
    stream: () => new GuardedSocket(() => {}),
  });
  client.on('error', () => {});
  const { stream } = client.connection;
  const inTime = afterTicks(CONNECT_TICKS_MAX, () => stream.destroy(timeout('The server did not respond in time')));
  try {
    await client.connect();
    return await look(client);
  } finally {
    inTime();
    client.end(() => {});
    setTimeout(() => stream.destroy(), 1000).unref();
  }
}
