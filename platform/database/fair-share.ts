/**
 * Shares a bounded number of slots between organizations. Each has a maximum, which is lower while others are active;
 * further work waits in a queue per organization, served round-robin. Queues are bounded in length and time.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { latestVisits } from '#kernel/latest-visits.ts';
import { elapsedMilliseconds } from '../clock.ts';
import { recordRefusal } from '../metrics.ts';
import { KnownError } from '#kernel/errors.ts';

export interface FairShareLimits {
  readonly places: number;
  /** Slots of one organization while no other is active. */
  readonly placesEach: number;
  /** Slots of one organization while another one is active or was active within the last second; at least 1. */
  readonly placesContended: number;
  /** Maximum queue length per organization. */
  readonly waitingEach: number;
  readonly waitMilliseconds: number;
}

export interface FairShare {
  /**
   * Runs `work` when a slot is free. Fails with `RATE_LIMIT_EXCEEDED` if the queue is full or no slot becomes free in
   * time, or with the outage error if the database is unavailable.
   */
  run<T>(organizationId: OrganizationId, work: () => Promise<T>): Promise<T>;
}

const RETRY_SECONDS = 1;
const CONTENDED_MILLISECONDS = 1_000;

/** `findOutage` checks, in bounded time, whether slots are held because of an outage. */
export function fairShare(
  { places, placesEach, placesContended, waitingEach, waitMilliseconds }: FairShareLimits,
  findOutage: () => Promise<Error | null> = async () => null,
): FairShare {
  let free = places;
  const held = new Map<string, number>();
  /** Round-robin: an organization that was served moves to the end. */
  const waiting = new Map<string, Set<() => void>>();

  const visits = latestVisits();

  const isContended = (organizationId: OrganizationId) =>
    elapsedMilliseconds() - visits.lastOfOthers(organizationId) < CONTENDED_MILLISECONDS;
  const mayEnter = (organizationId: OrganizationId) =>
    free > 0 && (held.get(organizationId) ?? 0) < (isContended(organizationId) ? placesContended : placesEach);
  const enter = (organizationId: OrganizationId) => {
    free--;
    held.set(organizationId, (held.get(organizationId) ?? 0) + 1);
  };
  const leave = (organizationId: OrganizationId) => {
    free++;
    const left = (held.get(organizationId) ?? 0) - 1;
    if (left > 0) held.set(organizationId, left);
    else held.delete(organizationId);
    while (letNextEnter());
  };
  const letNextEnter = (): boolean => {
    const next = [...waiting.keys()].find(mayEnter);
    if (next === undefined) return false;
    const queue = waiting.get(next)!;
    const [first] = queue;
    enter(next);
    waiting.delete(next);
    queue.delete(first!);
    if (queue.size > 0) waiting.set(next, queue);
    first!();
    return true;
  };
  const refuse = async (message: string): Promise<never> => {
    const outage = await findOutage();
    if (outage) throw outage;
    recordRefusal('fair_share');
    throw new KnownError('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds: RETRY_SECONDS });
  };
  const wait = (organizationId: OrganizationId): Promise<void> => {
    const queue = waiting.get(organizationId) ?? new Set();
    if (queue.size >= waitingEach) return refuse('Too many requests of this organization at once');
    waiting.set(organizationId, queue);
    return new Promise((resolve, reject) => {
      const called = () => {
        clearTimeout(overdue);
        resolve();
      };
      const overdue = setTimeout(() => {
        queue.delete(called);
        if (queue.size === 0 && waiting.get(organizationId) === queue) waiting.delete(organizationId);
        refuse('Earlier requests of this organization are still running: try again').catch(reject);
      }, waitMilliseconds);
      queue.add(called);
    });
  };
  return {
    async run(organizationId, work) {
      visits.record(organizationId, elapsedMilliseconds());
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
