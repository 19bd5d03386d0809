/**
 * Runs a step of the sync: reads one page of a due connection, and writes it in the same transaction as the next
 * offset.
 */
import { elapsedMilliseconds } from '#platform/clock.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { databaseTime } from '#platform/database/sql.ts';
import { statement } from '#platform/database/statement.ts';
import type { Job } from '#platform/job-loop.ts';
import { observedGauges } from '#platform/metrics.ts';
import { randomUuid } from '#platform/random.ts';
import type { SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { KnownError } from '#kernel/errors.ts';
import { CONNECTION_SEAL } from '../config.ts';
import {
  claimDueConnection,
  type ClaimedConnection,
  deferConnection,
  isAnyConnectionDue,
  releaseConnection,
  renewLease,
  type StepEnd,
  SYNC_CHANNEL,
} from '../connection/payment-connection.table.ts';
import { openProcessor } from '../stripe/processor.ts';
import { ProcessorError } from '../stripe/processor-error.ts';
import { noCounts } from '../records/record-counts.ts';
import type { SyncPage } from '../records/sync-page.ts';
import { addCounts } from './runs/sync-run.table.ts';
import { resumeRun } from './resume-run.step.ts';
import { syncStage } from './sync-stage.step.ts';

const FIRST_BACKOFF_SECONDS = 2;
const LONGEST_BACKOFF_SECONDS = 15 * 60;

/** Retry delay of a refused key, whose permissions may be corrected. */
const REFUSED_KEY_SECONDS = 10 * 60;

const REST_MILLISECONDS = 1_000;

/** Maximum number of concurrent steps, each for a different account. A step mostly waits for the processor. */
const PARALLEL = 16;

/** Maximum number of concurrent steps of accounts whose last page was slow. */
const SLOW_PARALLEL = 4;
const SLOW_MILLISECONDS = 2_000;

/** State shared by the loops of this process. */
interface Lanes {
  /** Idle lease owners. A lease that an idle owner still has was left by a database outage, and is claimed again. */
  readonly owners: string[];
  readonly slow: Set<string>;
  slowUnderWay: number;
}

/** Another process took over the step, so this one must write nothing more. */
class LeaseLost extends Error {}

export function syncJob(dependencies: SubgraphDependencies): Job {
  const lanes: Lanes = { owners: [], slow: new Set(), slowUnderWay: 0 };
  observeConnections(dependencies);
  return {
    name: 'revenue-sync',
    restMilliseconds: REST_MILLISECONDS,
    parallel: PARALLEL,
    channel: SYNC_CHANNEL,
    step: async (found) => {
      const owner = lanes.owners.pop() ?? randomUuid();
      try {
        return await syncStep(owner, dependencies, lanes, found);
      } finally {
        lanes.owners.push(owner);
      }
    },
  };
}

const SYNC_STATES = ['connected', 'failing', 'disconnected'] as const;

interface SyncState {
  readonly state: (typeof SYNC_STATES)[number];
  readonly connections: number;
  readonly oldestSeconds: number;
}

const READ_SYNC_STATES = statement<SyncState>(`
  select state, count(*)::float8 as connections, coalesce(max(age), 0)::float8 as oldest_seconds
  from (select case when status = 'disconnected' then status when attempt > 0 then 'failing' else status end as state,
    case when status = 'connected' then extract(epoch from now() - coalesce(last_sync_at, connected_at)) end as age
    from payment_connection /* every organization */) as known
  group by state`);

function observeConnections({ database }: SubgraphDependencies): void {
  const read = (figure: 'connections' | 'oldestSeconds') => async () => {
    const found = await database.system((tx) => tx.all(READ_SYNC_STATES, {}));
    return SYNC_STATES.map((state) => ({
      labels: { state },
      value: found.find((row) => row.state === state)?.[figure] ?? 0,
    }));
  };
  observedGauges(
    {
      name: 'books_revenue_connections',
      help: 'Connections to payment processors, by the state of their sync.',
      labels: ['state'],
    },
    read('connections'),
  );
  observedGauges(
    {
      name: 'books_revenue_sync_age_seconds',
      help: 'Time since the last complete sync, for the connection that has waited longest, by the state of its sync.',
      labels: ['state'],
    },
    read('oldestSeconds'),
  );
}

async function syncStep(
  owner: string,
  dependencies: SubgraphDependencies,
  lanes: Lanes,
  found?: () => void,
): Promise<'more' | 'idle'> {
  if (!(await isAnyConnectionDue(dependencies.database))) return 'idle';
  const passedOver = lanes.slowUnderWay < SLOW_PARALLEL ? [] : [...lanes.slow];
  const connection = await dependencies.database.system(async (tx) =>
    claimDueConnection(tx, owner, await databaseTime(tx), passedOver),
  );
  if (connection === null) return 'idle';
  found?.();
  const wasSlow = lanes.slow.has(connection.organizationId);
  if (wasSlow) lanes.slowUnderWay++;
  const since = elapsedMilliseconds();
  try {
    await takeStep(connection, owner, dependencies);
  } finally {
    if (wasSlow) lanes.slowUnderWay--;
    if (elapsedMilliseconds() - since >= SLOW_MILLISECONDS) lanes.slow.add(connection.organizationId);
    else lanes.slow.delete(connection.organizationId);
  }
  return 'more';
}

async function takeStep(
  connection: ClaimedConnection,
  owner: string,
  { database, log, sealing }: SubgraphDependencies,
): Promise<void> {
  const organizationId = connection.organizationId;
  try {
    const end = await takePage(connection, owner, { database, sealing });
    await database.system((tx) => releaseConnection(tx, organizationId, owner, end));
  } catch (error) {
    if (error instanceof LeaseLost) return;
    const problem =
      error instanceof ProcessorError
        ? error
        : error instanceof KnownError
          ? // The stored key cannot be decrypted: only an operator can fix that.
            new ProcessorError('refused', error.message)
          : new ProcessorError('unavailable', 'The sync failed with an internal error; it will be retried');
    log[error instanceof ProcessorError ? 'warn' : 'error'](
      { err: error, organizationId, kind: problem.kind },
      'A step of the revenue sync failed and will be retried',
    );
    await database.system(async (tx) => {
      const failedAt = await databaseTime(tx);
      const next = new Date(failedAt.getTime() + backoffSeconds(problem, connection.attempt + 1) * 1000);
      await deferConnection(tx, organizationId, owner, next, problem.message, failedAt);
    });
  }
}

async function takePage(
  connection: ClaimedConnection,
  owner: string,
  { database, sealing }: Pick<SubgraphDependencies, 'database' | 'sealing'>,
): Promise<StepEnd> {
  const organizationId = connection.organizationId;
  const key = sealing.unseal(connection.sealedKey, CONNECTION_SEAL, connection.id);
  const whileHeld = <Result>(work: (tx: WriteTransaction, at: Date) => Promise<Result>): Promise<Result> =>
    database.system(async (tx) => {
      const at = await databaseTime(tx);
      if (!(await renewLease(tx, organizationId, owner, at))) throw new LeaseLost();
      return work(tx, at);
    });
  const run = await whileHeld((tx, at) => resumeRun(tx, connection, at));
  const page: SyncPage = {
    organizationId,
    runId: run.id,
    endUserKey: connection.endUserKey,
    counts: noCounts(),
    processor: await openProcessor(key, connection.apiBase),
    write: (work) =>
      whileHeld(async (tx, at) => {
        const result = await work(tx, at);
        await addCounts(tx, organizationId, run.id, page.counts);
        Object.assign(page.counts, noCounts());
        return result;
      }),
  };
  return { dueAt: await syncStage(page, run), runStartedAt: run.startedAt };
}

/**
 * Retry delay after an error, in seconds. Doubles with every attempt (the first is 1), but is at least what the
 * processor asks for.
 */
function backoffSeconds(error: Pick<ProcessorError, 'kind' | 'retryAfterSeconds'>, attempt: number): number {
  const own =
    error.kind === 'refused'
      ? REFUSED_KEY_SECONDS
      : Math.min(LONGEST_BACKOFF_SECONDS, FIRST_BACKOFF_SECONDS * 2 ** Math.min(attempt - 1, 20));
  return Math.max(own, Math.min(error.retryAfterSeconds ?? 0, LONGEST_BACKOFF_SECONDS));
}
