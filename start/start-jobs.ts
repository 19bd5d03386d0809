/** Starts the jobs of subgraphs. */
import { listen } from '#platform/database/listen.ts';
import { type RunningJobs, runJobs } from '#platform/job-loop.ts';
import type { Log } from '#platform/log.ts';
import type { Subgraph } from '#platform/subgraph/subgraph.ts';

export interface RunningParts {
  stop(): Promise<void>;
}

/**
 * Runs the jobs of these subgraphs; a notification in any of their databases may wake any job. After a failure nothing
 * is left running.
 */
export async function startJobs(subgraphs: readonly Subgraph[], log: Log): Promise<RunningParts> {
  await using parts = new AsyncDisposableStack();
  const jobs: RunningJobs = runJobs(
    subgraphs.flatMap(({ name, jobs: own }) => own.map((job) => ({ ...job, subgraph: name }))),
    log,
  );
  parts.defer(() => jobs.stop());
  const channels = [...new Set(subgraphs.flatMap((subgraph) => subgraph.jobs.flatMap(({ channel }) => channel ?? [])))];
  const listening = await Promise.allSettled(
    subgraphs.map(async ({ database }) => {
      const listener = await listen(database.target, channels, jobs.wake, log);
      parts.defer(() => listener.close());
    }),
  );
  const failed = listening.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  const running = parts.move();
  return { stop: () => running.disposeAsync() };
}
