/**
 * Whether another process of this service answers: one that is away is tried rarely and by one at a time, and no one waits for
 * one that is frozen. The same as for a database server, over HTTP.
 */
import { buildConnector, Client } from 'undici';
import { CircuitBreaker } from '../database/connections/circuit-breaker.ts';
import { timeout } from '../database/connections/database-server.ts';
import { afterTicks, everyTick } from '../clock.ts';
import { unavailability } from '../unavailability.ts';

const CONNECT_MILLISECONDS_MAX = 2_000;
/** Most requests that say nothing for so long only take their time: a look tells, and not more often than every few ticks. */
const DOUBT_TICKS = 3;
const REST_TICKS = 5;
const LOOK_TICKS_MAX = 3;
/** Of a peer that is away. */
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

  /** Connects for a pool of undici. Fails at once while the peer is away. */
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
   * Runs one request. Its signal is aborted, with an error that says so, once the peer is found frozen. `onDoubt` hears that the peer is
   * well and the request still silent: it may take its time, or its connection leads nowhere.
   */
  async run<Result>(request: (signal: AbortSignal) => Promise<Result>, onDoubt: () => void): Promise<Result> {
    // Connections that are open say nothing of a peer that is frozen.
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

  /** On a connection of its own, whatever the answer is. */
  async #look(): Promise<void> {
    const client = new Client(this.#origin, { connect: { timeout: CONNECT_MILLISECONDS_MAX } });
    const inTime = afterTicks(LOOK_TICKS_MAX, () => void client.destroy(timeout('The process did not answer in time')));
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
