/**
 * A load that behaves as clients should: every batch is sent until it is acknowledged, with the same idempotency keys.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { EVENTS_PER_BATCH, sign, type SignedRequest } from '../support/signed-batches.ts';

export interface ResendingLoad {
  /** Events acknowledged so far. */
  acknowledged(): number;
  /** Responses by status; 0 for no response. */
  readonly answers: ReadonlyMap<number, number>;
  /** Resolves once everything sent is acknowledged. */
  stop(): Promise<number>;
}

const RETRY_MILLISECONDS = 100;

export function resendingLoad(
  url: string,
  next: () => SignedRequest,
  { connections, restMilliseconds }: { connections: number; restMilliseconds: number },
): ResendingLoad {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const answers = new Map<number, number>();
  let acknowledged = 0;
  let isStopping = false;
  const sending = Array.from({ length: connections }, async () => {
    while (!isStopping) {
      const batch = next();
      while (!(await isAcknowledged(batch))) await pause(RETRY_MILLISECONDS);
      acknowledged += EVENTS_PER_BATCH;
      await pause(restMilliseconds);
    }
  });
  return {
    answers,
    acknowledged: () => acknowledged,
    async stop() {
      isStopping = true;
      await Promise.all(sending);
      await pool.close();
      return acknowledged;
    },
  };

  /** Signed anew for every attempt: a signature may expire during an outage. */
  async function isAcknowledged({ headers, body }: SignedRequest): Promise<boolean> {
    const request = sign(body, headers['authorization']?.replace('Bearer ', '') ?? '');
    try {
      const answer = await pool.request({ path: '/v1/usage-events/batch', method: 'POST', ...request });
      const text = await answer.body.text();
      answers.set(answer.statusCode, (answers.get(answer.statusCode) ?? 0) + 1);
      return answer.statusCode === 202 && text.includes('"failed":0,');
    } catch {
      answers.set(0, (answers.get(0) ?? 0) + 1);
      return false;
    }
  }
}
