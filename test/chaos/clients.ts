/**
 * Well-behaved clients: each resends with the same keys until its batch is acknowledged, and records the
 * acknowledgements.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { sign } from '../support/api-client.ts';
import type { AcknowledgedBatch, Journal, JournaledEvent } from './journal.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Topology } from './topology.ts';

/** Responses that are currently allowed in addition to successes and 503. */
export interface Tolerance {
  /** An edge itself is down: no connection, and no responses from it. */
  noAnswer: boolean;
  /** A clock is wrong, so signatures and principals may be outside their validity. */
  refused: boolean;
}

/**
 * Much longer than the service may need for a key (decision 12), even on a busy machine. A request that takes longer
 * hangs.
 */
const ANSWER_MILLISECONDS_MAX = 120_000;
const REST_MILLISECONDS = 100;
const BATCH = 10;
const SENDERS = 3;
/** All on one day, so that the same window contains them in every round. */
const EVENTS_AT = '2026-01-15T12:00:00Z';
export const RANGE = 'start_date=2026-01-15&end_date=2026-01-16';

const READS = [
  '/ping',
  `/usage/summary?${RANGE}`,
  `/cost-data/by-model?${RANGE}`,
  `/margin-data/by-end-user?${RANGE}`,
  '/rate-cards/estimation-table',
  `/end-user-costs/user-1/by-model?${RANGE}`,
];

export interface ClientAnswer {
  readonly status: number;
  readonly body: any;
}

export class Clients {
  /** Number of responses by status; 0 means no response. */
  readonly statuses = new Map<number, number>();
  readonly tolerance: Tolerance = { noAnswer: false, refused: false };
  readonly #topology: Topology;
  readonly #journal: Journal;
  readonly #random: SeededRandom;
  readonly #onFinding: (finding: string) => void;
  #isStopping = false;
  #working: Promise<unknown> = Promise.resolve();

  constructor(topology: Topology, journal: Journal, random: SeededRandom, onFinding: (finding: string) => void) {
    this.#topology = topology;
    this.#journal = journal;
    this.#random = random;
    this.#onFinding = onFinding;
  }

  start(): void {
    this.#isStopping = false;
    this.#working = Promise.all([...Array.from({ length: SENDERS }, () => this.#sendEvents()), this.#readAtRandom()]);
  }

  /** Resolves once everything sent is acknowledged. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#working;
  }

  /** A resent event must get the id from its first acknowledgement. */
  async resend({ events, ids }: AcknowledgedBatch): Promise<void> {
    const { status, body } = await this.#post(events);
    const again = status === 202 ? idsOf(body) : null;
    if (again === null) this.#onFinding(`A batch that was acknowledged is now answered with ${status}`);
    else if (again.join() !== ids.join()) this.#onFinding('A batch that was acknowledged has other events now');
  }

  async #sendEvents(): Promise<void> {
    while (!this.#isStopping) {
      const events = Array.from({ length: BATCH }, () => this.#journal.draftEvent(this.#random, EVENTS_AT));
      for (;;) {
        const { status, body } = await this.#post(events);
        if (status === 202 && body.failed !== 0)
          this.#onFinding(`Events failed: ${JSON.stringify(body).slice(0, 500)}`);
        if (status === 202) {
          this.#journal.acknowledge(events, idsOf(body));
          break;
        }
        await pause(REST_MILLISECONDS);
      }
      await pause(REST_MILLISECONDS);
    }
  }

  async #readAtRandom(): Promise<void> {
    const { live_read_key: key } = this.#topology.firstRun;
    while (!this.#isStopping) {
      await this.#send('GET', this.#random.pick(READS), { authorization: `Bearer ${key}` });
      await pause(REST_MILLISECONDS);
    }
  }

  async #post(events: readonly JournaledEvent[]): Promise<ClientAnswer> {
    const { live_ingest_key: key } = this.#topology.firstRun;
    const body = JSON.stringify(events.map((event) => event.body));
    const timestamp = String(Math.floor(Date.now() / 1000));
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-timestamp': timestamp,
      'x-signature': sign(key, timestamp, body),
    };
    return this.#send('POST', '/usage-events/batch', headers, body);
  }

  /** Never fails; status 0 means no response. A response that must not occur is recorded as a finding. */
  async #send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<ClientAnswer> {
    let status = 0;
    try {
      const answer = await fetch(`${this.#topology.url}/v1${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        signal: AbortSignal.timeout(ANSWER_MILLISECONDS_MAX),
      });
      ({ status } = answer);
      const text = await answer.text();
      this.#judge(`${method} ${path}`, status, answer.headers, text);
      return { status, body: status < 300 ? JSON.parse(text) : text };
    } catch (error) {
      const { name, message, cause } = error as Error & { cause?: { code?: string } };
      if (!this.tolerance.noAnswer)
        this.#onFinding(`${method} ${path} has no answer: ${name} ${message} ${cause?.code ?? ''}`);
      return { status: 0, body: null };
    } finally {
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    }
  }

  #judge(request: string, status: number, headers: Headers, text: string): void {
    if (status < 300) return;
    if (status === 503 || status === 429) {
      if (headers.get('retry-after') === null)
        this.#onFinding(`${request} is answered ${status} without Retry-After: ${text.slice(0, 300)}`);
      return;
    }
    // The first events of an end user may not be attributed yet.
    if (status === 404 && request.includes('/end-user-costs/')) return;
    if ((status === 401 || status === 403) && this.tolerance.refused) return;
    this.#onFinding(`${request} is answered ${status}: ${text.slice(0, 300)}`);
  }
}

function idsOf(body: { results: readonly { event_id: string }[] }): string[] {
  return body.results.map(({ event_id: id }) => id);
}
