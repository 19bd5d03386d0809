/** The two limits of the contract and the limit for anonymous callers: in memory, or in Redis for several processes. */
import type { Config, RateLimit } from '../config.ts';
import type { Log } from '../log.ts';
import { memoryRateLimiter, type RateLimiter } from './rate-limit.ts';
import { connectRedis } from './redis-rate-limit.ts';

export interface RateLimiters {
  readonly read: RateLimiter;
  readonly ingest: RateLimiter;
  /** New events through the usage endpoints outside `/v1`: as many as the ingestion limit allows in full batches. */
  readonly events: RateLimiter;
  /** Requests to those endpoints, by the size of their bodies. */
  readonly bodies: RateLimiter;
  /** Spend decisions: a sender may ask about each event, and release its hold. */
  readonly decisions: RateLimiter;
  /** Anonymous GraphQL callers, per address. */
  readonly anonymous: RateLimiter;
  /** True if counters are shared; `null` if they are in memory by configuration. */
  redisState(): 'ok' | 'unreachable' | null;
  close(): Promise<void>;
}

/** Does not fail if Redis is unreachable: limits are then counted in memory. */
export async function rateLimiters(config: Config, log: Log): Promise<RateLimiters> {
  const limits = rateLimitsOf(config);
  const { redisUrl } = config;
  if (redisUrl === null) {
    return {
      read: memoryRateLimiter(limits.read),
      ingest: memoryRateLimiter(limits.ingest),
      events: memoryRateLimiter(limits.events),
      bodies: memoryRateLimiter(limits.bodies),
      decisions: memoryRateLimiter(limits.decisions),
      anonymous: memoryRateLimiter(limits.anonymous),
      redisState: () => null,
      close: async () => {},
    };
  }
  const counters = await connectRedis(redisUrl, log);
  return {
    read: counters.limiter('read', limits.read),
    ingest: counters.limiter('ingest', limits.ingest),
    events: counters.limiter('events', limits.events),
    bodies: counters.limiter('bodies', limits.bodies),
    decisions: counters.limiter('decisions', limits.decisions),
    anonymous: counters.limiter('anonymous', limits.anonymous),
    redisState: () => counters.state(),
    close: () => counters.close(),
  };
}

/** Maximum events per batch in the contract. */
const BATCH_EVENTS = 100;

/**
 * Requests allowed per event: each event may be sent by itself, and resent once. The same number of decisions is
 * allowed.
 */
const BODIES_AN_EVENT = 2;

export function rateLimitsOf({ readRateLimit, ingestRateLimit, anonymousRateLimit }: Config) {
  const { limit, windowSeconds } = ingestRateLimit;
  return {
    read: readRateLimit,
    ingest: ingestRateLimit,
    events: { limit: limit * BATCH_EVENTS, windowSeconds },
    bodies: { limit: limit * BATCH_EVENTS * BODIES_AN_EVENT, windowSeconds },
    decisions: { limit: limit * BATCH_EVENTS * BODIES_AN_EVENT, windowSeconds },
    anonymous: anonymousRateLimit,
  } satisfies Record<string, RateLimit>;
}
