/** Takes the steps of this subgraph's long operations. */
import type { Job } from '../../../platform/job-loop.ts';
import { operationsJob } from '../../../platform/operations/operations-job.ts';
import type { FollowerDependencies } from '../feed/follow-feeds.step.ts';
import { operationKinds } from './operation-kinds.step.ts';

export function runOperations(dependencies: FollowerDependencies): Job {
  return operationsJob(dependencies.database, operationKinds(dependencies));
}
