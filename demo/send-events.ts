/** Sends events through the public API in signed batches, one at a time per key. Obeys the `Retry-After` of a 429. */
import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { now } from '#platform/clock.ts';
import type { SampleOutcome } from '../sample/outcomes-of-events.ts';
import type { UsageEvent } from '../sample/usage-event.ts';

const BATCH_EVENTS_MAX = 100;
const ATTEMPTS_MAX = 6;

export interface Sent {
  readonly accepted: number;
  /** Accepted but flagged with a reason. */
  readonly flagged: Readonly<Record<string, number>>;
  readonly rejected: Readonly<Record<string, number>>;
}

interface Result {
  readonly status: 'accepted' | 'accepted_flagged' | 'rejected';
  readonly flag_reason?: string;
  readonly message?: string;
}

/** A resend is safe: every event has its own idempotency key. */
export async function sendEvents(
  api: string,
  keys: readonly string[],
  events: readonly UsageEvent[],
  progress: (done: number) => void,
): Promise<Sent> {
  const batches = Array.from({ length: Math.ceil(events.length / BATCH_EVENTS_MAX) }, (_, index) =>
    events.slice(index * BATCH_EVENTS_MAX, (index + 1) * BATCH_EVENTS_MAX),
  ).values();
  const sent = { accepted: 0, flagged: {} as Record<string, number>, rejected: {} as Record<string, number> };
  let done = 0;
  // All workers share one iterator: a free worker takes the next batch.
  await Promise.all(
    keys.map(async (key) => {
      for (const batch of batches) {
        for (const result of await sendBatch(`${api}/v1/usage-events/batch`, key, JSON.stringify(batch)))
          count(sent, result);
        progress((done += batch.length));
      }
    }),
  );
  return sent;
}

function count(
  sent: { accepted: number; flagged: Record<string, number>; rejected: Record<string, number> },
  { status, flag_reason, message }: Result,
): void {
  if (status === 'rejected') {
    sent.rejected[message ?? ''] = (sent.rejected[message ?? ''] ?? 0) + 1;
    return;
  }
  sent.accepted += 1;
  if (flag_reason) sent.flagged[flag_reason] = (sent.flagged[flag_reason] ?? 0) + 1;
}

async function sendBatch(url: string, key: string, body: string): Promise<readonly Result[]> {
  for (let attempt = 1; ; attempt += 1) {
    // No response: the service may be restarting.
    const response = await post(url, key, body).catch(() => null);
    if (response?.status === 202) return ((await response.json()) as { results: Result[] }).results;
    const isLasting = response !== null && response.status < 500 && response.status !== 429;
    if (isLasting || (attempt >= ATTEMPTS_MAX && response?.status !== 429)) {
      throw new Error(
        response
          ? `The API answered ${response.status}: ${await response.text()}`
          : `The API does not answer at ${url} any more`,
      );
    }
    await response?.body?.cancel();
    await pause(1000 * Number(response?.headers.get('retry-after') ?? 2 ** (attempt - 1)));
  }
}

/** Sends outcomes in the same way. Returns the number that was accepted. */
export async function sendOutcomes(api: string, key: string, outcomes: readonly SampleOutcome[]): Promise<number> {
  let accepted = 0;
  for (let from = 0; from < outcomes.length; from += BATCH_EVENTS_MAX) {
    const batch = JSON.stringify(outcomes.slice(from, from + BATCH_EVENTS_MAX));
    const results = await sendBatch(`${api}/ext/v1/outcomes`, key, batch);
    accepted += results.filter(({ status }) => status === 'accepted').length;
  }
  return accepted;
}

/** Signed again at every attempt, because a signature is valid for five minutes. */
function post(url: string, key: string, body: string): Promise<Response> {
  const timestamp = String(Math.floor(now().getTime() / 1000));
  const signature = createHmac('sha256', key).update(`${timestamp}.${body}`).digest('hex');
  return fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-timestamp': timestamp,
      'x-signature': `v1=${signature}`,
    },
    body,
  });
}
