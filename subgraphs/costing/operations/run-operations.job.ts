/** Continues repricings, reverts, requeueing and other operations that no caller executes. */
import type { Database } from '#platform/database/open-database.ts';
import type { Job } from '#platform/job-loop.ts';
import { operationsJob } from '#platform/operations/operations-job.ts';
import { OPERATION_KINDS } from './operation-kinds.step.ts';

export function runOperations({ database }: { readonly database: Database }): Job {
  return operationsJob(database, OPERATION_KINDS);
}
