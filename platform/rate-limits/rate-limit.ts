/** Fixed-window rate limit per key. In memory; `redis-rate-limit.ts` counts for several processes. */
import { elapsedMilliseconds } from '../clock.ts';
import type { RateLimit } from '../config.ts';

/** State of a bucket after a request. */
export interface RateLimitState {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
  readonly windowSeconds: number;
  /** When the window ends, on the clock of the process that counts. */
  readonly endsAt: number;
}

export interface RateLimiter {
  /** Counts requests against a bucket. */
  take(bucket: string, count?: number): RateLimitState | Promise<RateLimitState>;
  /** Returns part of what was taken, unless the window of `taken` is over. */
  giveBack(bucket: string, count: number, taken: RateLimitState): RateLimitState | Promise<RateLimitState>;
}

const SWEEP_AT_BUCKETS = 10_000;

/** Counts here, and adopts another process's count. */
export interface MemoryRateLimiter extends RateLimiter {
  learn(bucket: string, state: RateLimitState): void;
}

export function memoryRateLimiter({ limit, windowSeconds }: RateLimit): MemoryRateLimiter {
  const windows = new Map<string, { count: number; endsAt: number }>();
  let sweepAt = SWEEP_AT_BUCKETS;
  // The next sweep starts at twice the size, so that live buckets are not scanned on every request.
  const sweep = (time: number) => {
    for (const [bucket, window] of windows) if (window.endsAt <= time) windows.delete(bucket);
    sweepAt = Math.max(SWEEP_AT_BUCKETS, 2 * windows.size);
  };
  return {
    take(bucket, count = 1) {
      // Whole milliseconds: with fractions, a window's end could be further away than its length.
      const time = Math.floor(elapsedMilliseconds());
      if (windows.size >= sweepAt) sweep(time);
      let window = windows.get(bucket);
      if (!window || window.endsAt <= time) {
        window = { count: 0, endsAt: time + windowSeconds * 1000 };
        windows.set(bucket, window);
      }
      window.count += count;
      return stateOf(window.count, window.endsAt, { limit, windowSeconds }, time);
    },
    giveBack(bucket, count, taken) {
      const window = windows.get(bucket);
      if (window?.endsAt === taken.endsAt) window.count = Math.max(window.count - count, 0);
      return this.take(bucket, 0);
    },
    learn(bucket, { remaining, resetSeconds }) {
      const endsAt = Math.floor(elapsedMilliseconds()) + resetSeconds * 1000;
      windows.set(bucket, { count: limit - remaining, endsAt });
    },
  };
}

/** `endsAt` and `time`: milliseconds of the same clock. */
export function stateOf(
  count: number,
  endsAt: number,
  { limit, windowSeconds }: RateLimit,
  time: number,
): RateLimitState {
  return {
    allowed: count <= limit,
    limit,
    remaining: Math.max(limit - count, 0),
    resetSeconds: Math.max(Math.ceil((endsAt - time) / 1000), 1),
    windowSeconds,
    endsAt,
  };
}
