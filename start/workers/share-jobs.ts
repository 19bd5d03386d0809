/**
 * Which workers run jobs: as few as keep up. The more do, the smaller are their transactions, and the dearer is an event; but one that prices and
 * attributes with a whole core can do no more.
 */
import { elapsedMilliseconds } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import type { RemoteCalls } from './remote-calls.ts';

/** Of a core, at which a worker can take no more. */
const BUSY = 0.7;
/** Of a core, for each of those that would be left: below, and for so many looks, there are too many of them. */
const CALM = 0.4;
const CALM_LOOKS = 10;
const ANSWER_MILLISECONDS_MAX = 4_000;

/** `ready` gives the workers that are. What it gives looks once, and has at most one begin or cease. */
export function shareJobs(ready: () => readonly RemoteCalls[], most: number, log: Log): () => Promise<void> {
  const wantedOf = jobSharing(most);
  /** Those with jobs. */
  let running: readonly RemoteCalls[] = [];
  const switchJobs = async (worker: RemoteCalls, wanted: boolean): Promise<void> => {
    try {
      await worker.ask('jobs', wanted, ANSWER_MILLISECONDS_MAX);
      if (wanted) running = [...running, worker];
    } catch (error) {
      log.warn({ err: error, wanted }, 'A worker could not begin or cease to run jobs');
    }
  };
  return async () => {
    running = running.filter((worker) => ready().includes(worker));
    // One that says nothing is kept from its jobs too.
    const usages = running.map((worker) => worker.ask<number>('usage', null, ANSWER_MILLISECONDS_MAX).catch(() => 1));
    const wanted = wantedOf(await Promise.all(usages));
    const resting = ready().find((worker) => !running.includes(worker));
    const last = running.at(-1);
    if (wanted > running.length && resting) await switchJobs(resting, true);
    if (wanted < running.length && last) {
      running = running.slice(0, -1);
      await switchJobs(last, false);
    }
  };
}

/** Called at each look with how much of a core each worker with jobs has used since the last; gives how many should run them. */
export function jobSharing(most: number): (used: readonly number[]) => number {
  let calmLooks = 0;
  return (used) => {
    if (used.length === 0) return 1;
    const total = used.reduce((sum, each) => sum + each, 0);
    calmLooks = total < CALM * (used.length - 1) ? calmLooks + 1 : 0;
    if (used.every((each) => each >= BUSY)) return Math.min(used.length + 1, most);
    if (calmLooks < CALM_LOOKS) return used.length;
    calmLooks = 0;
    return used.length - 1;
  };
}

/** Of this process's main thread, which is all that runs JavaScript: the share of a core that it has used since the last call. */
export function coreUsage(): () => number {
  let [used, at] = [process.threadCpuUsage(), elapsedMilliseconds()];
  return () => {
    const [before, since] = [used, at];
    [used, at] = [process.threadCpuUsage(), elapsedMilliseconds()];
    return (used.user + used.system - before.user - before.system) / 1_000 / (at - since);
  };
}
