/** Counts requests of a key in windows of fixed length. In memory here; `redis-rate-limit.ts` counts for several processes. */
import { elapsedMilliseconds } from '../clock.ts';
import type { RateLimit } from '../config.ts';

/** How a bucket stands after a request. */
export interface RateLimitState {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
  readonly windowSeconds: number;
}

export interface RateLimiter {
  /** Counts requests against a bucket: one, or as many as a document holds. */
  take(bucket: string, count?: number): RateLimitState | Promise<RateLimitState>;
}

const SWEEP_AT_BUCKETS = 10_000;

export function memoryRateLimiter({ limit, windowSeconds }: RateLimit): RateLimiter {
  const windows = new Map<string, { count: number; endsAt: number }>();
  let sweepAt = SWEEP_AT_BUCKETS;
  // The next sweep waits for twice as many: buckets that are all alive must not be looked through at every request.
  const sweep = (time: number) => {
    for (const [bucket, window] of windows) if (window.endsAt <= time) windows.delete(bucket);
    sweepAt = Math.max(SWEEP_AT_BUCKETS, 2 * windows.size);
  };
  return {
    take(bucket, count = 1) {
      // Whole ones: of fractions, the end of a window may lie a little further away than the window is long.
      const time = Math.floor(elapsedMilliseconds());
      if (windows.size >= sweepAt) sweep(time);
      let window = windows.get(bucket);
      if (!window || window.endsAt <= time) {
        window = { count: 0, endsAt: time + windowSeconds * 1000 };
        windows.set(bucket, window);
      }
      window.count += count;
      return stateOf(window.count, Math.ceil((window.endsAt - time) / 1000), { limit, windowSeconds });
    },
  };
}

export function stateOf(count: number, resetSeconds: number, { limit, windowSeconds }: RateLimit): RateLimitState {
  return {
    allowed: count <= limit,
    limit,
    remaining: Math.max(limit - count, 0),
    resetSeconds: Math.max(resetSeconds, 1),
    windowSeconds,
  };
}
