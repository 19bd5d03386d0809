/** Takes the steps of this subgraph's long operations. */
import type { Job } from '../../../platform/job-loop.ts';
import { operationsJob } from '../../../platform/operations/operations-job.ts';
import { verifyKind } from '../verification/verify-books.step.ts';
import type { Verification } from '../verification/verify-days.step.ts';

export function runOperations(dependencies: Verification): Job {
  return operationsJob(dependencies.database, [verifyKind(dependencies)]);
}
