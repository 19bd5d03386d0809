/** Rate limits per key, shared by all workers: the first process counts, or Redis if configured. */
import type { Config, RateLimit } from '#platform/config.ts';
import type { Log } from '#platform/log.ts';
import { memoryRateLimiter, type RateLimiter, type RateLimitState } from '#platform/rate-limits/rate-limit.ts';
import { rateLimiters, type RateLimiters, rateLimitsOf } from '#platform/rate-limits/rate-limiters.ts';
import type { RemoteCalls } from './remote-calls.ts';

type LimitName = keyof ReturnType<typeof rateLimitsOf>;

/** A worker's request to the first process: to count requests, or to give some of them back. */
export interface Taken {
  readonly limit: LimitName;
  readonly bucket: string;
  readonly count: number;
  readonly givenBackFrom?: RateLimitState;
}

/** How long a request waits for its count. The first process has little else to do. */
const ANSWER_MILLISECONDS_MAX = 250;
/** A late response still updates the worker's own count. */
const LATE_MILLISECONDS_MAX = 10_000;

/** Limiters of a worker. While the first process does not respond, counting continues from its last known state. */
export async function limitersOfWorkers(config: Config, log: Log, first: RemoteCalls): Promise<RateLimiters> {
  const own = await rateLimiters(config, log);
  if (config.redisUrl !== null) return own;
  const shared = (limit: LimitName, rateLimit: RateLimit): RateLimiter => {
    const local = memoryRateLimiter(rateLimit);
    const ask = async (taken: Taken): Promise<RateLimitState> => {
      const state = await first.ask<RateLimitState>('take', taken, LATE_MILLISECONDS_MAX);
      local.learn(taken.bucket, state);
      return state;
    };
    return {
      take: (bucket, count = 1) =>
        within(ask({ limit, bucket, count }), ANSWER_MILLISECONDS_MAX).catch(() => local.take(bucket, count)),
      giveBack: (bucket, count, givenBackFrom) =>
        within(ask({ limit, bucket, count, givenBackFrom }), ANSWER_MILLISECONDS_MAX).catch(() =>
          local.giveBack(bucket, count, givenBackFrom),
        ),
    };
  };
  const limits = rateLimitsOf(config);
  return {
    ...own,
    read: shared('read', limits.read),
    ingest: shared('ingest', limits.ingest),
    events: shared('events', limits.events),
    bodies: shared('bodies', limits.bodies),
    decisions: shared('decisions', limits.decisions),
    anonymous: shared('anonymous', limits.anonymous),
  };
}

/** Answers a worker, in the first process. */
export function answerTaken(limiters: RateLimiters, { limit, bucket, count, givenBackFrom }: Taken) {
  return givenBackFrom === undefined
    ? limiters[limit].take(bucket, count)
    : limiters[limit].giveBack(bucket, count, givenBackFrom);
}

/** Rejects after this time. If this process was blocked, a response that arrived in the meantime is handled first. */
function within<Result>(answer: Promise<Result>, milliseconds: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    const overdue = setTimeout(
      () => setImmediate(reject, new Error('The first process did not respond in time')),
      milliseconds,
    );
    answer.then(resolve, reject).finally(() => clearTimeout(overdue));
  });
}
