/** The two limits of the contract: in memory, or in Redis for several adapters. */
import type { Config } from './config.ts';
import type { Log } from './log.ts';
import { memoryRateLimiter, type RateLimiter } from './rate-limit.ts';
import { connectRedis } from './redis-rate-limit.ts';

export interface RateLimiters {
  readonly read: RateLimiter;
  readonly ingest: RateLimiter;
  /** Whether the counters are shared as they should be; `null` where they are in memory by choice. */
  redisState(): 'ok' | 'unreachable' | null;
  close(): Promise<void>;
}

export async function rateLimiters(
  { readRateLimit, ingestRateLimit, redisUrl }: Config,
  log: Log,
): Promise<RateLimiters> {
  if (redisUrl === null) {
    return {
      read: memoryRateLimiter(readRateLimit),
      ingest: memoryRateLimiter(ingestRateLimit),
      redisState: () => null,
      close: async () => {},
    };
  }
  const counters = await connectRedis(redisUrl, log);
  return {
    read: counters.limiter('read', readRateLimit),
    ingest: counters.limiter('ingest', ingestRateLimit),
    redisState: () => counters.state(),
    close: () => counters.close(),
  };
}
