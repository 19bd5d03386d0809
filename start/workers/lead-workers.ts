/**
 * The first of several processes on one machine: it owns the port, the embedded server and the counters, and starts
 * workers (decision 61).
 */
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { AggregatorRegistry } from 'prom-client';
import { elapsedMilliseconds } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import { createLog } from '#platform/log.ts';
import { rateLimiters } from '#platform/rate-limits/rate-limiters.ts';
import { StartError } from '#platform/start-error.ts';
import { serveOperations } from '../health/operations-port.ts';
import type { Readiness } from '../http-app.ts';
import { STOP } from './channel.ts';
import { connectCalls, type RemoteCalls } from './remote-calls.ts';
import { shareJobs } from './share-jobs.ts';
import { answerTaken, type Taken } from './shared-limits.ts';

const ANSWER_MILLISECONDS_MAX = 4_000;
/** Pause before a worker that ended is replaced. It doubles while workers end soon after their start. */
const REST_MILLISECONDS = { least: 500, most: 30_000 };
const YOUNG_MILLISECONDS = 60_000;
/** Interval at which the assignment of jobs is checked. */
const LOOK_EVERY_MILLISECONDS = 1_000;

/**
 * All workers serve requests. Background jobs run on as few of them as keep up, at most every second one.
 *
 * Starts the first worker, which migrates the databases, then the others. Throws if one ends before it is ready.
 */
export async function leadWorkers(config: Config, parts: AsyncDisposableStack): Promise<void> {
  const count = config.processes;
  const log = createLog(config.logLevel);
  const limiters = await rateLimiters(config, log);
  parts.defer(() => limiters.close());
  const workers = new Map<Worker, RemoteCalls>();
  const metrics = async () => {
    const all = await Promise.allSettled(
      [...workers.values()].map((each) => each.ask<object>('metrics', null, ANSWER_MILLISECONDS_MAX)),
    );
    return AggregatorRegistry.aggregate(all.flatMap((of) => (of.status === 'fulfilled' ? [of.value] : []))).metrics();
  };
  const readiness: Readiness = async () => {
    const states = await Promise.all(
      [...workers.values()].map((each) =>
        each
          .ask<{ ready: boolean }>('readiness', null, ANSWER_MILLISECONDS_MAX)
          .catch((error: unknown) => ({ ready: false, error: (error as Error).message })),
      ),
    );
    return { ready: states.length === count && states.every(({ ready }) => ready), workers: states };
  };
  const operations = await serveOperations(readiness, config, log, metrics);
  parts.defer(() => operations.close());

  /** Only these workers receive the stop message. */
  const ready = new Set<Worker>();
  let isStopping = false;
  let rest = REST_MILLISECONDS.least;
  const look = shareJobs(() => [...ready].map((worker) => workers.get(worker)!), Math.ceil(count / 2), log);
  const start = async (): Promise<void> => {
    const began = elapsedMilliseconds();
    const worker = cluster.fork();
    const ended = new Promise<string>((resolve) =>
      worker.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`)),
    );
    const isReady = Promise.withResolvers<null>();
    workers.set(
      worker,
      connectCalls(worker, {
        ready: () => isReady.resolve(null),
        take: (taken: Taken) => answerTaken(limiters, taken),
        metrics,
      }),
    );
    const cause = await Promise.race([isReady.promise, ended]);
    if (cause !== null) {
      workers.delete(worker);
      throw new StartError(`A worker exited before it was ready (${cause}): see its output above`);
    }
    ready.add(worker);
    void ended.then(async (how) => {
      workers.delete(worker);
      ready.delete(worker);
      if (isStopping) return;
      rest =
        elapsedMilliseconds() - began < YOUNG_MILLISECONDS
          ? Math.min(2 * rest, REST_MILLISECONDS.most)
          : REST_MILLISECONDS.least;
      log.error({ how, rest }, 'A worker exited; starting another one');
      await startAgain();
    });
  };
  const startAgain = async (): Promise<void> => {
    while (!isStopping) {
      await pause(rest);
      if (isStopping) return;
      try {
        return await start();
      } catch (error) {
        rest = Math.min(2 * rest, REST_MILLISECONDS.most);
        log.error({ err: error, rest }, 'A worker could not start; trying again');
      }
    }
  };
  parts.defer(async () => {
    isStopping = true;
    const left = [...workers.keys()].map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const worker of workers.keys())
      if (ready.has(worker)) worker.send(STOP, () => {});
      else worker.process.kill('SIGKILL');
    await Promise.all(left);
  });
  await start();
  await look();
  await Promise.all(Array.from({ length: count - 1 }, start));
  void (async () => {
    while (!isStopping) {
      await pause(LOOK_EVERY_MILLISECONDS, null, { ref: false });
      await look();
    }
  })();
}
