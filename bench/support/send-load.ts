/** Sends batches over a number of connections, as fast as they are answered or at a given rate. */
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { elapsedMilliseconds } from '#platform/clock.ts';
import { EVENTS_PER_BATCH, sign, type SignedRequest } from './signed-batches.ts';

export interface Load {
  readonly events: number;
  /** Time from the first request to the last response. */
  readonly milliseconds: number;
  /** Milliseconds of every request. */
  readonly latencies: readonly number[];
}

export interface LoadOptions {
  readonly url: string;
  readonly next: () => SignedRequest;
  readonly connections: number;
  /** The load ends after this time, after `requests` requests, or when `signal` is aborted. */
  readonly seconds: number;
  readonly requests?: number;
  readonly signal?: AbortSignal;
  /** Default: the size of a batch. */
  readonly eventsPerRequest?: number;
  /** If absent, each batch follows the response to the previous one. */
  readonly eventsPerSecond?: number;
}

export async function sendLoad(options: LoadOptions): Promise<Load> {
  const { url, next, connections, seconds, signal, eventsPerSecond } = options;
  const { requests = Infinity, eventsPerRequest = EVENTS_PER_BATCH } = options;
  const pool = new Pool(url, { connections, pipelining: 1 });
  const latencies: number[] = [];
  const started = elapsedMilliseconds();
  const until = started + seconds * 1000;
  const milliseconds = eventsPerSecond === undefined ? 0 : ((connections * eventsPerRequest) / eventsPerSecond) * 1000;
  let begun = 0;
  const sendOneByOne = async (connection: number): Promise<void> => {
    let due = started + (milliseconds * connection) / connections;
    for (;;) {
      const early = due - elapsedMilliseconds();
      if (early > 0) await pause(early);
      const sent = elapsedMilliseconds();
      if (sent >= until || begun++ >= requests || signal?.aborted) return;
      await postBatch(pool, next());
      latencies.push(elapsedMilliseconds() - sent);
      due += milliseconds;
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, (_, connection) => sendOneByOne(connection)));
    return { events: latencies.length * eventsPerRequest, milliseconds: elapsedMilliseconds() - started, latencies };
  } finally {
    await pool.close();
  }
}

/** Throws unless every event of the batch was accepted. */
export async function postBatch(
  pool: Pool,
  { headers, body, path = '/v1/usage-events/batch', accepted = ALL_ACCEPTED }: SignedRequest,
): Promise<void> {
  const answer = await pool.request({ path, method: 'POST', headers, body });
  const text = await answer.body.text();
  if (answer.statusCode >= 300 || !accepted.test(text))
    throw new Error(`A batch was answered with ${answer.statusCode}: ${text.slice(0, 300)}`);
}

const ALL_ACCEPTED = /^{"accepted":\d+,"failed":0,/;

/** Sends the caller's own events, at most one batch. */
export async function sendEvents(url: string, apiKey: string, events: readonly object[]): Promise<void> {
  const pool = new Pool(url);
  await postBatch(pool, sign(Buffer.from(JSON.stringify(events)), apiKey));
  await pool.close();
}
