/**
 * Counts requests in Redis or Valkey, so that adapters share a bucket per key. While it is unavailable, each process
 * counts for itself.
 */
import { elapsedMilliseconds } from '../clock.ts';
import type { RateLimit } from '../config.ts';
import type { Log } from '../log.ts';
import { memoryRateLimiter, type RateLimiter, type RateLimitState, stateOf } from './rate-limit.ts';

/** Counts atomically in one round trip: the first request starts the window. Returns the count and remaining time. */
const TAKE = `
local count = redis.call('INCRBY', KEYS[1], ARGV[2])
if count == tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return { count, redis.call('PTTL', KEYS[1]) }`;

/** Credits a count back to the current window. */
const GIVE_BACK = `
local count = tonumber(redis.call('GET', KEYS[1]) or '0')
local back = math.min(count, tonumber(ARGV[2]))
if back > 0 then count = redis.call('DECRBY', KEYS[1], back) end
return { count, redis.call('PTTL', KEYS[1]) }`;

/** Maximum wait for a count. Redis needs well below a millisecond. */
const ANSWER_MILLISECONDS_MAX = 250;
const CONNECT_MILLISECONDS_MAX = 2_000;
/** Pause after a failure, so that at most one request per second waits for the time limit. */
const REST_MILLISECONDS = 1_000;
const RECONNECT_MILLISECONDS = 1_000;

export interface SharedCounters {
  /** `name` keeps the buckets of several limits apart. */
  limiter(name: string, rateLimit: RateLimit): RateLimiter;
  /** True if the last count came from Redis. */
  state(): 'ok' | 'unreachable';
  close(): Promise<void>;
}

/** Does not fail if the address does not respond: logs it once, counts in memory and keeps trying. */
export async function connectRedis(url: string, log: Log): Promise<SharedCounters> {
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, {
    lazyConnect: true,
    // Commands are not queued offline: memory can count at once.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: ANSWER_MILLISECONDS_MAX,
    connectTimeout: CONNECT_MILLISECONDS_MAX,
    // Without this limit, a dead connection stays silent for a quarter of an hour.
    socketTimeout: CONNECT_MILLISECONDS_MAX,
    retryStrategy: () => RECONNECT_MILLISECONDS,
  });
  // Logs why there is no connection, which the error of a count does not say.
  let lastError: { code?: string; message: string } | null = null;
  redis.on('error', (error: Error) => {
    lastError = error;
  });
  let failedAt: number | null = null;

  const failed = (error: unknown): void => {
    const { code, message } = lastError ?? (error as { code?: string; message: string });
    if (failedAt === null)
      log.warn(
        { cause: code ?? message },
        'Redis is unavailable: until it is back, each process counts requests separately',
      );
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
          // A new window has started, which does not contain the count.
          elapsedMilliseconds() >= taken.endsAt
            ? taken
            : ask(GIVE_BACK, bucket, count, () => memory.giveBack(bucket, count, taken)),
      };
    },
    state: () => (failedAt === null ? 'ok' : 'unreachable'),
    close: async () => redis.disconnect(),
  };
}
