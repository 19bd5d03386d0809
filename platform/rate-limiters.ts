/** The two limits of the contract and that of anonymous callers: in memory, or in Redis for several processes. */
import type { Config } from './config.ts';
import type { Log } from './log.ts';
import { memoryRateLimiter, type RateLimiter } from './rate-limit.ts';
import { connectRedis } from './redis-rate-limit.ts';

export interface RateLimiters {
  readonly read: RateLimiter;
  readonly ingest: RateLimiter;
  /** Of callers of the graph without a credential, by address. */
  readonly anonymous: RateLimiter;
  /** Whether the counters are shared as they should be; `null` where they are in memory by choice. */
  redisState(): 'ok' | 'unreachable' | null;
  close(): Promise<void>;
}

export async function rateLimiters(config: Config, log: Log): Promise<RateLimiters> {
  const { readRateLimit, ingestRateLimit, anonymousRateLimit, redisUrl } = config;
  if (redisUrl === null) {
    return {
      read: memoryRateLimiter(readRateLimit),
      ingest: memoryRateLimiter(ingestRateLimit),
      anonymous: memoryRateLimiter(anonymousRateLimit),
      redisState: () => null,
      close: async () => {},
    };
  }
  const counters = await connectRedis(redisUrl, log);
  return {
    read: counters.limiter('read', readRateLimit),
    ingest: counters.limiter('ingest', ingestRateLimit),
    anonymous: counters.limiter('anonymous', anonymousRateLimit),
    redisState: () => counters.state(),
    close: () => counters.close(),
  };
}
