/**
 * Circuit breaker for another process of this service over HTTP, as for a database server: an unreachable peer is
 * probed by one request at a time, and nobody waits for a frozen one.
 */
import { buildConnector, Client } from 'undici';
import { CircuitBreaker } from '../database/connections/circuit-breaker.ts';
import { timeout } from '../database/connections/database-server.ts';
import { afterTicks, everyTick } from '../clock.ts';
import { unavailability } from '../unavailability.ts';

const CONNECT_MILLISECONDS_MAX = 2_000;
/** After this many ticks without data, a separate request checks the peer: most such requests are only slow. */
const DOUBT_TICKS = 3;
const REST_TICKS = 5;
const LOOK_TICKS_MAX = 3;
const SILENT_TICKS_MAX = 5;

interface Waiting {
  silentTicks: number;
  readonly controller: AbortController;
  readonly onDoubt: () => void;
}

export class PeerCircuit {
  readonly #origin: string;
  readonly #breaker: CircuitBreaker;
  readonly #waiting = new Set<Waiting>();
  #stopTicking: (() => void) | null = null;
  #restTicks = 0;

  constructor(name: string, origin: string) {
    this.#origin = origin;
    this.#breaker = new CircuitBreaker({ server: name, probe: () => this.#look() });
  }

  /** Connector for an undici pool. Fails at once while the circuit is open. */
  readonly connect: buildConnector.connector = (options, callback) => {
    let socket: Parameters<buildConnector.Callback>[1] = null;
    this.#breaker
      .attempt(async () => {
        socket = await new Promise((resolve, reject) =>
          connectSocket(options, (error, connected) => (error ? reject(error) : resolve(connected))),
        );
      })
      .then(
        () => callback(...([null, socket] as Parameters<buildConnector.Callback>)),
        (error: Error) => callback(error, null),
      );
  };

  /**
   * Runs one request and aborts it if the peer is frozen. `onDoubt` is called if the peer responds to a probe but not
   * to the request: the response may be slow, or the connection dead.
   */
  async run<Result>(request: (signal: AbortSignal) => Promise<Result>, onDoubt: () => void): Promise<Result> {
    // Open connections do not show whether a peer is frozen.
    if (this.#breaker.outage) await this.#breaker.attempt(async () => {});
    const waiting: Waiting = { silentTicks: 0, controller: new AbortController(), onDoubt };
    this.#waiting.add(waiting);
    this.#stopTicking ??= everyTick(() => this.#tick());
    try {
      return await request(waiting.controller.signal);
    } finally {
      this.#waiting.delete(waiting);
      if (this.#waiting.size === 0) this.#rest();
    }
  }

  #rest(): void {
    this.#stopTicking?.();
    this.#stopTicking = null;
  }

  #tick(): void {
    for (const waiting of this.#waiting) waiting.silentTicks += 1;
    this.#restTicks -= 1;
    const silent = [...this.#waiting].filter(({ silentTicks }) => silentTicks >= DOUBT_TICKS);
    if (silent.length === 0) return;
    if (this.#breaker.outage) return this.#cutOff(this.#breaker.outage);
    if (this.#restTicks > 0) return;
    this.#restTicks = REST_TICKS;
    this.#look().then(
      () => {
        for (const waiting of silent) if (this.#waiting.has(waiting)) waiting.onDoubt();
      },
      (error: unknown) => {
        if (unavailability(error) !== null) this.#cutOff(this.#breaker.open(error));
      },
    );
  }

  #cutOff(reason: Error): void {
    for (const { silentTicks, controller } of this.#waiting)
      if (silentTicks >= SILENT_TICKS_MAX) controller.abort(timeout(reason.message));
  }

  /** Checks on a separate connection whether the peer responds. Any response counts. */
  async #look(): Promise<void> {
    const client = new Client(this.#origin, { connect: { timeout: CONNECT_MILLISECONDS_MAX } });
    const inTime = afterTicks(
      LOOK_TICKS_MAX,
      () => void client.destroy(timeout('The process did not respond in time')),
    );
    try {
      const { body } = await client.request({ path: '/healthz', method: 'GET' });
      await body.dump();
    } finally {
      inTime();
      void client.destroy();
    }
  }
}

const connectSocket = buildConnector({ timeout: CONNECT_MILLISECONDS_MAX });
