/** Counts requests in Redis or Valkey: adapters share one bucket a key. While it is away, each counts for itself. */
import { elapsedMilliseconds } from '../clock.ts';
import type { RateLimit } from '../config.ts';
import type { Log } from '../log.ts';
import { memoryRateLimiter, type RateLimiter, type RateLimitState, stateOf } from './rate-limit.ts';

/** Counts, starts the window with its first requests, and tells how long it still runs: one round trip, atomic. */
const TAKE = `
local count = redis.call('INCRBY', KEYS[1], ARGV[2])
if count == tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return { count, redis.call('PTTL', KEYS[1]) }`;

/** Takes a count back from a window that still runs. */
const GIVE_BACK = `
local count = tonumber(redis.call('GET', KEYS[1]) or '0')
local back = math.min(count, tonumber(ARGV[2]))
if back > 0 then count = redis.call('DECRBY', KEYS[1], back) end
return { count, redis.call('PTTL', KEYS[1]) }`;

/** What a request waits for its count at most. Redis takes well below a millisecond. */
const ANSWER_MILLISECONDS_MAX = 250;
const CONNECT_MILLISECONDS_MAX = 2_000;
/** After a failure no one asks for so long: at most one request a second waits in vain. */
const REST_MILLISECONDS = 1_000;
const RECONNECT_MILLISECONDS = 1_000;

export interface SharedCounters {
  /** `name` keeps the buckets of several limits apart. */
  limiter(name: string, rateLimit: RateLimit): RateLimiter;
  /** Whether the last count came from Redis. */
  state(): 'ok' | 'unreachable';
  close(): Promise<void>;
}

/** Does not fail where the address does not answer: it says so once, counts in memory and goes on trying. */
export async function connectRedis(url: string, log: Log): Promise<SharedCounters> {
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, {
    lazyConnect: true,
    // A command is sent now or not at all: anyone who waits in line waits for a count that memory has at once.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: ANSWER_MILLISECONDS_MAX,
    connectTimeout: CONNECT_MILLISECONDS_MAX,
    // A connection whose other end is gone says nothing for a quarter of an hour.
    socketTimeout: CONNECT_MILLISECONDS_MAX,
    retryStrategy: () => RECONNECT_MILLISECONDS,
  });
  // Says why there is no connection; a count fails with no more than that there is none.
  let lastError: { code?: string; message: string } | null = null;
  redis.on('error', (error: Error) => {
    lastError = error;
  });
  let failedAt: number | null = null;

  const failed = (error: unknown): void => {
    const { code, message } = lastError ?? (error as { code?: string; message: string });
    if (failedAt === null)
      log.warn({ cause: code ?? message }, 'Redis is away: until it is back each process counts requests for itself');
    failedAt = elapsedMilliseconds();
  };
  const answered = (): void => {
    if (failedAt !== null) log.info('Redis counts requests again');
    [failedAt, lastError] = [null, null];
  };
  await redis.connect().then(answered, failed);

  return {
    limiter(name, rateLimit) {
      const memory = memoryRateLimiter(rateLimit);
      const windowMilliseconds = rateLimit.windowSeconds * 1000;
      const ask = async (
        script: string,
        bucket: string,
        count: number,
        ofMemory: () => RateLimitState | Promise<RateLimitState>,
      ): Promise<RateLimitState> => {
        const time = elapsedMilliseconds();
        if (failedAt !== null && time - failedAt < REST_MILLISECONDS) return ofMemory();
        try {
          const key = `rate-limit:${name}:${bucket}`;
          const [total, left] = (await redis.eval(script, 1, key, windowMilliseconds, count)) as [number, number];
          answered();
          // A key that has just expired has no time left.
          return stateOf(total, time + (left < 0 ? windowMilliseconds : left), rateLimit, time);
        } catch (error) {
          failed(error);
          return ofMemory();
        }
      };
      return {
        take: (bucket, count = 1) => ask(TAKE, bucket, count, () => memory.take(bucket, count)),
        giveBack: (bucket, count, taken) =>
          // Another window has begun: what was taken is not in it.
          elapsedMilliseconds() >= taken.endsAt
            ? taken
            : ask(GIVE_BACK, bucket, count, () => memory.giveBack(bucket, count, taken)),
      };
    },
    state: () => (failedAt === null ? 'ok' : 'unreachable'),
    close: async () => redis.disconnect(),
  };
}
