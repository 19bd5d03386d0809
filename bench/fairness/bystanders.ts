/** Bystanders: a ping, a read and a small batch, each at its own pace, and the time until an event is visible. */
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { elapsedMilliseconds, now } from '#platform/clock.ts';
import { randomUuid } from '#platform/random.ts';
import type { Organization } from '../support/organization.ts';
import { watchSentinels } from '../support/sentinels.ts';
import { sign } from '../support/signed-batches.ts';
import { usageEvent } from '../workload/usage-event.ts';

export const NOTICED = ['ping', 'read', 'small batch', 'visible'] as const;
export type Noticed = Readonly<Record<(typeof NOTICED)[number], readonly number[]>>;

const REST_MILLISECONDS = 40;

/** Latencies in milliseconds while `during` runs and until it has ended. Throws if a bystander is refused. */
export async function watchBystanders(
  url: string,
  { reader, sender }: { reader: Organization; sender: Organization },
  during: () => Promise<void>,
): Promise<Noticed> {
  const pool = new Pool(url, { connections: 3, pipelining: 1 });
  const sentinels = watchSentinels(url, sender);
  let ended = false;
  const repeat = async (one: () => Promise<number>): Promise<number[]> => {
    const taken: number[] = [];
    while (!ended) {
      const started = elapsedMilliseconds();
      const status = await one();
      if (status >= 300) throw new Error(`A bystander was answered with ${status}`);
      taken.push(elapsedMilliseconds() - started);
      await pause(REST_MILLISECONDS);
    }
    return taken;
  };
  const get = async (path: string): Promise<number> => {
    const { statusCode, body } = await pool.request({
      path,
      method: 'GET',
      headers: { authorization: `Bearer ${reader.readKey}` },
    });
    await body.dump();
    return statusCode;
  };
  const post = async (): Promise<number> => {
    const event = usageEvent(1, randomUuid(), now());
    const { headers, body } = sign(Buffer.from(JSON.stringify([event])), sender.ingestKeys[0] ?? '');
    const answer = await pool.request({ path: '/v1/usage-events/batch', method: 'POST', headers, body });
    await answer.body.dump();
    return answer.statusCode;
  };
  const watching = Promise.all([
    repeat(() => get('/v1/ping')),
    repeat(() => get('/v1/cost-data/by-model')),
    repeat(post),
  ]);
  try {
    await Promise.race([during(), watching]);
  } finally {
    ended = true;
  }
  const [ping, read, batch] = await watching;
  const visible = await sentinels.stop();
  await pool.close();
  return { ping, read, 'small batch': batch, visible };
}
