/** Runs the steps of this subgraph's long operations. */
import type { Job } from '#platform/job-loop.ts';
import { operationsJob } from '#platform/operations/operations-job.ts';
import type { FollowerDependencies } from '../feed/follow-feeds.step.ts';
import { rebuildKind } from '../feed/rebuild.step.ts';
import { backfillKind } from '../rollups/upkeep/backfill.step.ts';
import { verifyKind } from '../verification/verify-books.step.ts';

export function runOperations(dependencies: FollowerDependencies): Job {
  return operationsJob(dependencies.database, [verifyKind(dependencies), backfillKind, rebuildKind(dependencies)]);
}
