/** The two limits of the contract: in memory, or in Redis for several adapters. */
import type { Config } from './config.ts';
import { memoryRateLimiter, type RateLimiter } from './rate-limit.ts';

export interface RateLimiters {
  readonly read: RateLimiter;
  readonly ingest: RateLimiter;
  close(): Promise<void>;
}

export async function rateLimiters({ readRateLimit, ingestRateLimit }: Config): Promise<RateLimiters> {
  const read = memoryRateLimiter(readRateLimit);
  const ingest = memoryRateLimiter(ingestRateLimit);
  return {
    read,
    ingest,
    close: async () => {
      await Promise.all([read.close(), ingest.close()]);
    },
  };
}
