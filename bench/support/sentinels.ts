/**
 * Single events, polled in the breakdown by model from the moment they are accepted. Each has its own model and
 * millisecond.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { elapsedMilliseconds, now } from '#platform/clock.ts';
import { randomUuid } from '#platform/random.ts';
import type { Organization } from './organization.ts';
import { postBatch } from './send-load.ts';
import { sign } from './signed-batches.ts';

export interface Sentinels {
  /** Returns the milliseconds from acceptance to visibility of each. */
  stop(): Promise<readonly number[]>;
}

const POLL_MILLISECONDS = 20;
const REST_MILLISECONDS = 100;
const SECONDS_MAX = 60;

export function watchSentinels(url: string, { ingestKeys, readKey }: Organization): Sentinels {
  const pool = new Pool(url, { connections: 1 });
  const waits: number[] = [];
  let stopping = false;
  const watching = watch();
  return {
    async stop() {
      stopping = true;
      await watching;
      await pool.close();
      return waits;
    },
  };

  async function watch(): Promise<void> {
    while (!stopping) {
      const key = randomUuid();
      const at = now();
      const event = {
        idempotency_key: key,
        model: `sentinel-${key}`,
        input_tokens: 1,
        output_tokens: 1,
        cost_override: 0.01,
        event_invoked_at: at.toISOString(),
      };
      await postBatch(pool, sign(Buffer.from(JSON.stringify([event])), ingestKeys[0] ?? ''));
      const accepted = elapsedMilliseconds();
      while (!(await isVisible(event.model, at))) {
        if (elapsedMilliseconds() - accepted > SECONDS_MAX * 1000)
          throw new Error(`An accepted event was not visible after ${SECONDS_MAX} s`);
        await pause(POLL_MILLISECONDS);
      }
      waits.push(elapsedMilliseconds() - accepted);
      await pause(REST_MILLISECONDS);
    }
  }

  async function isVisible(model: string, at: Date): Promise<boolean> {
    const path = `/v1/cost-data/by-model?start_date=${at.toISOString()}&end_date=${new Date(at.getTime() + 1).toISOString()}`;
    const answer = await pool.request({ path, method: 'GET', headers: { authorization: `Bearer ${readKey}` } });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`by-model answered ${answer.statusCode}: ${text.slice(0, 300)}`);
    return text.includes(model);
  }
}
