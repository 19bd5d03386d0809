/** The two limits of the contract: in memory, or in Redis for several adapters. */
import type { Config } from './config.ts';
import { memoryRateLimiter, type RateLimiter } from './rate-limit.ts';
import { connectRedis, redisRateLimiter } from './redis-rate-limit.ts';

export interface RateLimiters {
  readonly read: RateLimiter;
  readonly ingest: RateLimiter;
  close(): Promise<void>;
}

export async function rateLimiters({ readRateLimit, ingestRateLimit, redisUrl }: Config): Promise<RateLimiters> {
  if (redisUrl === null) return { read: memoryRateLimiter(readRateLimit), ingest: memoryRateLimiter(ingestRateLimit), close: async () => {} };
  const redis = await connectRedis(redisUrl);
  return {
    read: redisRateLimiter(redis, 'read', readRateLimit),
    ingest: redisRateLimiter(redis, 'ingest', ingestRateLimit),
    close: async () => {
      await redis.quit();
    },
  };
}
