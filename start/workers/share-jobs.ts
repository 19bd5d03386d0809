/**
 * Decides which workers run jobs: as few as keep up. With more of them, transactions become smaller and each event
 * costs more; but a worker that uses a whole core for pricing and attribution cannot do more.
 */
import { elapsedMilliseconds } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import type { RemoteCalls } from './remote-calls.ts';

/** Share of a core from which a worker is considered fully used. */
const BUSY = 0.7;
/**
 * Share of a core that each worker would use if one worker fewer ran jobs. If it stays below this in `CALM_LOOKS`
 * successive checks, one worker stops its jobs.
 */
const CALM = 0.4;
const CALM_LOOKS = 10;
const ANSWER_MILLISECONDS_MAX = 4_000;

/**
 * `ready` returns the workers that are ready. Each call of the returned function checks once, and starts or stops jobs
 * on at most one worker.
 */
export function shareJobs(ready: () => readonly RemoteCalls[], most: number, log: Log): () => Promise<void> {
  const wantedOf = jobSharing(most);
  /** Workers that run jobs. */
  let running: readonly RemoteCalls[] = [];
  const switchJobs = async (worker: RemoteCalls, wanted: boolean): Promise<void> => {
    try {
      await worker.ask('jobs', wanted, ANSWER_MILLISECONDS_MAX);
      if (wanted) running = [...running, worker];
    } catch (error) {
      log.warn({ err: error, wanted }, 'A worker could not start or stop its jobs');
    }
  };
  return async () => {
    running = running.filter((worker) => ready().includes(worker));
    // A worker that does not respond counts as fully used and gets no further jobs.
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

/**
 * Call it at each check with the share of a core that each worker with jobs has used since the last one; it returns
 * how many should run jobs.
 */
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

/** Share of a core that the main thread, which runs all JavaScript, has used since the last call. */
export function coreUsage(): () => number {
  let [used, at] = [process.threadCpuUsage(), elapsedMilliseconds()];
  return () => {
    const [before, since] = [used, at];
    [used, at] = [process.threadCpuUsage(), elapsedMilliseconds()];
    return (used.user + used.system - before.user - before.system) / 1_000 / (at - since);
  };
}
