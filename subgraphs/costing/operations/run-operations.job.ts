/** Goes on with repricings, reverts and requeueing that no one waits for any more. */
import type { Database } from '../../../platform/database/open-database.ts';
import type { Job } from '../../../platform/job-loop.ts';
import { operationsJob } from '../../../platform/operations/operations-job.ts';
import { OPERATION_KINDS } from './operation-kinds.step.ts';

export function runOperations({ database }: { readonly database: Database }): Job {
  return operationsJob(database, OPERATION_KINDS);
}
