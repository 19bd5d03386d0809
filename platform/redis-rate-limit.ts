/** Counts requests in Redis or Valkey, so that several adapters share one bucket a key. */
import { Redis } from 'ioredis';
import type { RateLimit } from './config.ts';
import { type RateLimiter, stateOf } from './rate-limit.ts';

/** Counts, starts the window with its first requests, and tells how long it still runs: one round trip, atomic. */
const TAKE = `
local count = redis.call('INCRBY', KEYS[1], ARGV[2])
if count == tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return { count, redis.call('PTTL', KEYS[1]) }`;

/** `name` keeps the buckets of several limits apart. */
export function redisRateLimiter(redis: Redis, name: string, rateLimit: RateLimit): RateLimiter {
  return {
    async take(bucket, count = 1) {
      const key = `rate-limit:${name}:${bucket}`;
      const [total, milliseconds] = await redis.eval(TAKE, 1, key, rateLimit.windowSeconds * 1000, count) as [number, number];
      return stateOf(total, Math.ceil(milliseconds / 1000), rateLimit);
    },
  };
}

/** Fails at once when the address does not answer: a start without its counters would not limit anybody. */
export async function connectRedis(url: string): Promise<Redis> {
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 2 });
  // Each request reports its own failure; without a listener the process would end.
  redis.on('error', () => {});
  await redis.connect();
  return redis;
}
