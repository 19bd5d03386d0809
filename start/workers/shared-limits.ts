/** The limits of a key hold for all workers together: the first process counts, or Redis where there is one. */
import type { Config } from '../../platform/config.ts';
import type { Log } from '../../platform/log.ts';
import type { RateLimiter, RateLimitState } from '../../platform/rate-limits/rate-limit.ts';
import { rateLimiters, type RateLimiters } from '../../platform/rate-limits/rate-limiters.ts';
import type { RemoteCalls } from './remote-calls.ts';

type LimitName = 'read' | 'ingest' | 'events' | 'anonymous';

/** A request against a bucket. */
export interface Taken {
  readonly limit: LimitName;
  readonly bucket: string;
  readonly count: number;
}

/** What a request waits for its count at most. The first process has nothing else to do. */
const ANSWER_MILLISECONDS_MAX = 250;

/** In a worker. Where the first process does not answer, it counts by itself. */
export async function limitersOfWorkers(config: Config, log: Log, first: RemoteCalls): Promise<RateLimiters> {
  const own = await rateLimiters(config, log);
  if (config.redisUrl !== null) return own;
  const shared = (limit: LimitName): RateLimiter => ({
    take: (bucket, count = 1) =>
      first
        .ask<RateLimitState>('take', { limit, bucket, count } satisfies Taken, ANSWER_MILLISECONDS_MAX)
        .catch(() => own[limit].take(bucket, count)),
  });
  return {
    ...own,
    read: shared('read'),
    ingest: shared('ingest'),
    events: shared('events'),
    anonymous: shared('anonymous'),
  };
}
