/**
 * Workers count together in their first process. While it does not respond, they continue from the last known state.
 */
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { readConfig } from '#platform/config.ts';
import { rateLimiters } from '#platform/rate-limits/rate-limiters.ts';
import type { RemoteCalls } from '../../../start/workers/remote-calls.ts';
import { answerTaken, limitersOfWorkers, type Taken } from '../../../start/workers/shared-limits.ts';

it('a worker that gets no response continues from the last known counts, and not from zero', async () => {
  const config = readConfig({ INGEST_RATE_LIMIT: '5;w=600' });
  const log = pino({ level: 'silent' });
  const counted = await rateLimiters(config, log);
  let isAway = false;
  const first: Pick<RemoteCalls, 'ask'> = {
    ask: async <Answer>(_name: string, taken: unknown): Promise<Answer> => {
      if (isAway) throw new Error('The first process is away');
      return (await answerTaken(counted, taken as Taken)) as Answer;
    },
  };
  const [one, other] = await Promise.all([0, 1].map(() => limitersOfWorkers(config, log, first as RemoteCalls)));
  await one!.ingest.take('key', 2);
  expect(await other!.ingest.take('key')).toMatchObject({ allowed: true, remaining: 2 });
  isAway = true;
  expect(await other!.ingest.take('key', 2)).toMatchObject({ allowed: true, remaining: 0 });
  expect(await other!.ingest.take('key')).toMatchObject({ allowed: false });
});
