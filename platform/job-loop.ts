/** Runs what nobody asked for: one step at a time, restartable, woken by a notification or by the clock. */
import type { Log } from './log.ts';

export interface Job {
  readonly name: string;
  /** How long to rest when there was nothing to do and nothing woke the job, in milliseconds. */
  readonly restMilliseconds: number;
  /** Several loops may run the same step side by side. Default 1. */
  readonly parallel?: number;
  /** PostgreSQL channel that announces work. */
  readonly channel?: string;
  /** One bounded step, its own transaction inside. Says whether there may be more to do: at once, very soon, or when it is woken. */
  step(): Promise<'more' | 'soon' | 'idle'>;
}

export interface RunningJobs {
  /** Announces work on a channel. */
  wake(channel: string): void;
  /** Ends after the steps under way. */
  stop(): Promise<void>;
}

/** The rest of a job that expects work which nobody will announce again. */
const SOON_MILLISECONDS = 20;

/** A step that fails again and again is tried ever more rarely. */
const REST_AFTER_FAULT_MILLISECONDS = { first: 500, longest: 30_000 };

export function runJobs(jobs: readonly Job[], log: Log): RunningJobs {
  let stopping = false;
  const sleepers = new Set<{ channel: string | undefined; wake: () => void }>();
  /** Announcements that came while a loop was busy: it must not fall asleep on them. */
  const announced = new Map<string, number>();

  const rest = (channel: string | undefined, milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      const sleeper = { channel, wake: () => { clearTimeout(timer); sleepers.delete(sleeper); resolve(); } };
      const timer = setTimeout(sleeper.wake, milliseconds);
      sleepers.add(sleeper);
    });

  const loop = async (job: Job): Promise<void> => {
    let faults = 0;
    while (!stopping) {
      const seen = announced.get(job.channel ?? '') ?? 0;
      try {
        const outcome = await job.step();
        faults = 0;
        if (outcome === 'more' || stopping || seen !== (announced.get(job.channel ?? '') ?? 0)) continue;
        await rest(job.channel, outcome === 'soon' ? SOON_MILLISECONDS : job.restMilliseconds);
      } catch (error) {
        if (stopping) return;
        log.error({ err: error, job: job.name }, 'A job step failed and will be tried again');
        await rest(undefined, Math.min(REST_AFTER_FAULT_MILLISECONDS.first * 2 ** faults, REST_AFTER_FAULT_MILLISECONDS.longest));
        faults += 1;
      }
    }
  };

  const loops = jobs.flatMap((job) => Array.from({ length: job.parallel ?? 1 }, () => loop(job)));
  return {
    wake(channel) {
      announced.set(channel, (announced.get(channel) ?? 0) + 1);
      for (const sleeper of [...sleepers]) if (sleeper.channel === channel) sleeper.wake();
    },
    async stop() {
      stopping = true;
      for (const sleeper of [...sleepers]) sleeper.wake();
      await Promise.all(loops);
    },
  };
}
