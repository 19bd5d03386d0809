/** One step of the sync: one page of one connection that is due, written with the place where the next step begins. */
import { now } from '../../../platform/clock.ts';
import type { Job } from '../../../platform/job-loop.ts';
import { randomUuid } from '../../../platform/random.ts';
import type { SubgraphSurroundings } from '../../../platform/subgraph/subgraph.ts';
import { KnownError } from '../../../schema/errors.ts';
import { CONNECTION_SEAL } from '../config.ts';
import {
  claimDueConnection,
  type ClaimedConnection,
  deferConnection,
  releaseConnection,
  renewLease,
  type StepEnd,
  SYNC_CHANNEL,
} from '../data/payment-connection.ts';
import { openProcessor } from '../data/stripe/processor.ts';
import { addCounts } from '../data/sync-run.ts';
import { backoffSeconds } from '../rules/backoff.ts';
import { ProcessorFault } from '../rules/processor-fault.ts';
import { noCounts } from './record-counts.ts';
import { resumeRun } from './resume-run.ts';
import type { SyncPage } from './sync-page.ts';
import { syncStage } from './sync-stage.ts';

const REST_MILLISECONDS = 1_000;
const PARALLEL = 2;

/** Someone else has taken over: whatever this step still wanted to write is not written. */
class LeaseLost extends Error {}

export function syncJob(surroundings: SubgraphSurroundings): Job {
  return {
    name: 'revenue-sync',
    restMilliseconds: REST_MILLISECONDS,
    parallel: PARALLEL,
    channel: SYNC_CHANNEL,
    step: () => syncStep(surroundings),
  };
}

async function syncStep({ database, log, sealing }: SubgraphSurroundings): Promise<'more' | 'idle'> {
  const owner = randomUuid();
  const connection = await database.acrossOrganizations((em) => claimDueConnection(em, owner, now()));
  if (connection === null) return 'idle';
  const organizationId = connection.organization_id;
  try {
    const end = await takePage(connection, owner, { database, sealing });
    await database.acrossOrganizations((em) => releaseConnection(em, organizationId, owner, end));
  } catch (error) {
    if (error instanceof LeaseLost) return 'more';
    const fault =
      error instanceof ProcessorFault
        ? error
        : error instanceof KnownError
          ? // The stored key cannot be opened: only an operator can change that.
            new ProcessorFault('refused', error.message)
          : new ProcessorFault('unavailable', 'The sync met a fault of our own; it will be tried again');
    log[error instanceof ProcessorFault ? 'warn' : 'error'](
      { err: error, organizationId, kind: fault.kind },
      'A step of the revenue sync failed and will be tried again',
    );
    const failedAt = now();
    const next = new Date(failedAt.getTime() + backoffSeconds(fault, connection.attempt + 1) * 1000);
    await database.acrossOrganizations((em) => deferConnection(em, organizationId, owner, next, fault.message, failedAt));
  }
  return 'more';
}

async function takePage(
  connection: ClaimedConnection,
  owner: string,
  { database, sealing }: Pick<SubgraphSurroundings, 'database' | 'sealing'>,
): Promise<StepEnd> {
  const organizationId = connection.organization_id;
  const key = sealing.unseal(connection.sealed_key, CONNECTION_SEAL, connection.id);
  const run = await database.acrossOrganizations((em) => resumeRun(em, connection, now()));
  const page: SyncPage = {
    organizationId,
    runId: run.id,
    endUserKey: connection.end_user_key,
    counts: noCounts(),
    processor: openProcessor(key, connection.api_base),
    write: (work) =>
      database.acrossOrganizations(async (em) => {
        const at = now();
        if (!(await renewLease(em, organizationId, owner, at))) throw new LeaseLost();
        const result = await work(em, at);
        await addCounts(em, organizationId, run.id, page.counts);
        Object.assign(page.counts, noCounts());
        return result;
      }),
  };
  return { dueAt: await syncStage(page, run), runStartedAt: run.started_at };
}
