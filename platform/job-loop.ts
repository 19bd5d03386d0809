/** Runs background jobs: one step at a time, restartable, woken by a notification or a timer. */
import { elapsedMilliseconds } from './clock.ts';
import { connectionsAborted } from './database/connections/database-server.ts';
import type { Log } from './log.ts';
import { counter, observedGauges } from './metrics.ts';
import { inSpan } from './observability/tracing.ts';
import { randomInt } from './random.ts';
import { restingLoops } from './resting-loops.ts';
import { unavailability } from './unavailability.ts';

export const UPKEEP_SHARE = 0.25;

/** A background job. */
export interface Job {
  readonly name: string;
  /** The subgraph, if jobs of several run together. */
  readonly subgraph?: string;
  /** Idle time in milliseconds if there was nothing to do and nothing woke the job. */
  readonly restMilliseconds: number;
  /** Number of parallel loops; default 1. While idle, one of them checks for work on behalf of all. */
  readonly parallel?: number;
  /** Fraction of time that a loop may work, to leave capacity for requests. Default 1. */
  readonly share?: number;
  /** PostgreSQL channel that announces work; each notification wakes one loop. */
  readonly channel?: string;
  /**
   * One bounded step with its own transaction. Returns whether there may be more work: now, soon, or when woken. After
   * `found()`, another loop checks for work while this one processes what it found.
   */
  step(found?: () => void): Promise<'more' | 'soon' | 'idle'>;
}

export interface RunningJobs {
  /** Announces work on a channel. */
  wake(channel: string): void;
  /** Stops after the current steps, or without them if they hang: uncommitted work is rolled back. */
  stop(): Promise<void>;
}

/** Idle time of a job that expects work without a further notification. */
const SOON_MILLISECONDS = 20;

/**
 * Pauses after a failed step. They are short, because a dependency may return at any time and a failing step is cheap.
 */
const REST_AFTER_ERROR_MILLISECONDS = { first: 500, longest: 4_000, outage: 1_000 };

const STOP_MILLISECONDS_MAX = 7_000;
/** After connections were aborted, steps that wait for something else, such as a payment processor, are abandoned. */
const ABORTED_MILLISECONDS_MAX = 1_000;

const OUTCOMES = ['more', 'soon', 'idle', 'error', 'unavailable'] as const;

const steps = counter('books_job_steps_total', 'Job steps by outcome.', ['subgraph', 'job', 'outcome']);
const stepSeconds = counter('books_job_step_seconds_total', 'Total duration of job steps.', ['subgraph', 'job']);

export function runJobs(jobs: readonly Job[], log: Log): RunningJobs {
  let stopping = false;
  const resting = restingLoops(jobs);
  const outages = outageLog(log);
  const stepping = new Map<symbol, string>();
  const { watch, unwatch } = watchJobs(jobs);

  const loop = async (job: Job, isFirst: boolean): Promise<void> => {
    const id = Symbol(job.name);
    let errors = 0;
    if (!isFirst) await resting.untilCalled(job, null);
    while (!stopping) {
      stepping.set(id, job.name);
      const ended = watch(job);
      const since = elapsedMilliseconds();
      try {
        const outcome = await inSpan(
          () => `job ${job.name}`,
          () => job.step(() => resting.call(job)),
        );
        ended(outcome);
        stepping.delete(id);
        outages.ended(id);
        if (errors > 0) log.info({ job: job.name, errors }, 'A failed job has recovered');
        errors = 0;
        if (stopping) return;
        if (outcome === 'more') {
          if (job.share !== undefined) await resting.pause((elapsedMilliseconds() - since) * (1 / job.share - 1));
          continue;
        }
        await resting.untilCalled(job, outcome === 'soon' ? SOON_MILLISECONDS : null);
      } catch (error) {
        stepping.delete(id);
        if (stopping) return;
        const isAway = unavailability(error) !== null;
        ended(isAway ? 'unavailable' : 'error');
        if (isAway) {
          outages.began(id, job, error);
          const { outage } = REST_AFTER_ERROR_MILLISECONDS;
          await resting.pause(outage * 0.75 + randomInt(outage / 2));
          continue;
        }
        errors += 1;
        if (isPowerOfTwo(errors))
          log.error({ err: error, job: job.name, errors }, 'A job step failed and will be retried');
        const { first, longest } = REST_AFTER_ERROR_MILLISECONDS;
        await resting.pause(Math.min(first * 2 ** (errors - 1), longest));
      }
    }
  };

  const loops = jobs.flatMap((job) => Array.from({ length: job.parallel ?? 1 }, (_, index) => loop(job, index === 0)));
  return {
    wake(channel) {
      for (const job of jobs) if (job.channel === channel) resting.announce(job);
    },
    async stop() {
      stopping = true;
      resting.end();
      await Promise.race([Promise.all(loops), pause(STOP_MILLISECONDS_MAX), pauseAfterAbort()]);
      unwatch();
      if (stepping.size > 0)
        log.warn({ jobs: [...new Set(stepping.values())] }, 'Jobs were abandoned in the middle of a step');
    },
  };
}

type Outcome = (typeof OUTCOMES)[number];

/** Counts steps and their age. `watch` starts a step and returns a function that ends it. */
function watchJobs(jobs: readonly Job[]): { watch(job: Job): (outcome: Outcome) => void; unwatch(): void } {
  const began = elapsedMilliseconds();
  const last = new Map(jobs.map((job) => [job, { run: began, success: began }]));
  const labelsOf = ({ subgraph = '', name }: Job) => ({ subgraph, job: name });
  const ages = (of: 'run' | 'success') => async () =>
    [...last].map(([job, at]) => ({ labels: labelsOf(job), value: (elapsedMilliseconds() - at[of]) / 1_000 }));
  const labels = ['subgraph', 'job'];
  const unread = [
    observedGauges(
      {
        name: 'books_job_last_run_age_seconds',
        help: 'Seconds since the last step of the job ended, or since the start.',
        labels,
      },
      ages('run'),
    ),
    observedGauges(
      {
        name: 'books_job_last_success_age_seconds',
        help: 'Seconds since the last step of the job succeeded, or since the start.',
        labels,
      },
      ages('success'),
    ),
    observedGauges(
      { name: 'books_job_rest_seconds', help: 'Seconds that the job waits after finding no work.', labels },
      async () => jobs.map((job) => ({ labels: labelsOf(job), value: job.restMilliseconds / 1_000 })),
    ),
  ];
  for (const job of jobs) for (const outcome of OUTCOMES) steps.inc({ ...labelsOf(job), outcome }, 0);
  return {
    watch(job) {
      const since = elapsedMilliseconds();
      return (outcome) => {
        const at = elapsedMilliseconds();
        const times = last.get(job)!;
        times.run = at;
        if (outcome !== 'error' && outcome !== 'unavailable') times.success = at;
        steps.inc({ ...labelsOf(job), outcome });
        stepSeconds.inc(labelsOf(job), (at - since) / 1_000);
      };
    },
    unwatch() {
      for (const end of unread) end();
    },
  };
}

/** Earlier shutdown steps have used part of the time; jobs get the rest. */
async function pauseAfterAbort(): Promise<void> {
  if (!connectionsAborted.aborted)
    await new Promise((resolve) => connectionsAborted.addEventListener('abort', resolve, { once: true }));
  await pause(ABORTED_MILLISECONDS_MAX);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}

/** Logs one line when the first job waits for an unavailable dependency, and one when none does. */
function outageLog(log: Log) {
  const waiting = new Set<symbol>();
  let since = 0;
  return {
    began(id: symbol, { name }: Job, error: unknown): void {
      if (waiting.size === 0) {
        since = elapsedMilliseconds();
        log.warn({ err: error, job: name }, 'Jobs are waiting for an unavailable dependency');
      }
      waiting.add(id);
    },
    ended(id: symbol): void {
      if (!waiting.delete(id) || waiting.size > 0) return;
      log.info({ seconds: Math.round((elapsedMilliseconds() - since) / 1000) }, 'Jobs are running again');
    },
  };
}

/** Logs repeated failures at growing intervals. */
function isPowerOfTwo(count: number): boolean {
  return (count & (count - 1)) === 0;
}
