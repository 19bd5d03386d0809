/**
 * Shares a bounded number of places between organizations: none holds more than its share, those beyond wait in a queue of
 * their own, and free places go round the organizations that wait. What waits is bounded too, in number and in time.
 */
import { fail, KnownError } from '../../schema/errors.ts';

export interface FairShareLimits {
  readonly places: number;
  /** Of one organization at a time. */
  readonly placesEach: number;
  /** Waiting at a time, of one organization. */
  readonly waitingEach: number;
  readonly waitMilliseconds: number;
}

export interface FairShare {
  /** Runs `work` once a place is free. Fails with `RATE_LIMIT_EXCEEDED` when too much waits already, or when none becomes free in time. */
  run<T>(organizationId: string, work: () => Promise<T>): Promise<T>;
}

const RETRY_SECONDS = 1;

export function fairShare({ places, placesEach, waitingEach, waitMilliseconds }: FairShareLimits): FairShare {
  let free = places;
  const held = new Map<string, number>();
  /** In the order of turns: anyone who has had one goes to the end. */
  const waiting = new Map<string, Set<() => void>>();

  const mayEnter = (organizationId: string) => free > 0 && (held.get(organizationId) ?? 0) < placesEach;
  const enter = (organizationId: string) => {
    free--;
    held.set(organizationId, (held.get(organizationId) ?? 0) + 1);
  };
  const leave = (organizationId: string) => {
    free++;
    const left = (held.get(organizationId) ?? 0) - 1;
    if (left > 0) held.set(organizationId, left);
    else held.delete(organizationId);
    const next = [...waiting.keys()].find(mayEnter);
    if (next === undefined) return;
    const queue = waiting.get(next)!;
    const [first] = queue;
    enter(next);
    waiting.delete(next);
    queue.delete(first!);
    if (queue.size > 0) waiting.set(next, queue);
    first!();
  };
  const wait = (organizationId: string): Promise<void> => {
    const queue = waiting.get(organizationId) ?? new Set();
    if (queue.size >= waitingEach)
      fail('RATE_LIMIT_EXCEEDED', 'Too many requests of this organization at a time', {
        retryAfterSeconds: RETRY_SECONDS,
      });
    waiting.set(organizationId, queue);
    return new Promise((resolve, reject) => {
      const called = () => {
        clearTimeout(overdue);
        resolve();
      };
      const overdue = setTimeout(() => {
        queue.delete(called);
        if (queue.size === 0 && waiting.get(organizationId) === queue) waiting.delete(organizationId);
        reject(
          new KnownError('RATE_LIMIT_EXCEEDED', 'Earlier requests of this organization have not ended yet', {
            retryAfterSeconds: RETRY_SECONDS,
          }),
        );
      }, waitMilliseconds);
      queue.add(called);
    });
  };
  return {
    async run(organizationId, work) {
      if (mayEnter(organizationId)) enter(organizationId);
      else await wait(organizationId);
      try {
        return await work();
      } finally {
        leave(organizationId);
      }
    },
  };
}
