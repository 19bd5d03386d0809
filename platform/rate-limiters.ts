/** The two limits of the contract and that of anonymous callers: in memory, or in Redis for several processes. */
import type { Config } from './config.ts';
import { memoryRateLimiter, type RateLimiter } from './rate-limit.ts';
import { connectRedis, redisRateLimiter } from './redis-rate-limit.ts';

export interface RateLimiters {
  readonly read: RateLimiter;
  readonly ingest: RateLimiter;
  /** Of callers of the graph without a credential, by address. */
  readonly anonymous: RateLimiter;
  close(): Promise<void>;
}

export async function rateLimiters(config: Config): Promise<RateLimiters> {
  const { readRateLimit, ingestRateLimit, anonymousRateLimit, redisUrl } = config;
  if (redisUrl === null) {
    return {
      read: memoryRateLimiter(readRateLimit),
      ingest: memoryRateLimiter(ingestRateLimit),
      anonymous: memoryRateLimiter(anonymousRateLimit),
      close: async () => {},
    };
  }
  const redis = await connectRedis(redisUrl);
  return {
    read: redisRateLimiter(redis, 'read', readRateLimit),
    ingest: redisRateLimiter(redis, 'ingest', ingestRateLimit),
    anonymous: redisRateLimiter(redis, 'anonymous', anonymousRateLimit),
    close: async () => {
      await redis.quit();
    },
  };
}
