/** One step of the sync: one page of one connection that is due, written with the place where the next step begins. */
import { elapsedMilliseconds } from '../../../platform/clock.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { databaseTime, query } from '../../../platform/database/sql.ts';
import type { Job } from '../../../platform/job-loop.ts';
import { observedGauges } from '../../../platform/metrics.ts';
import { randomUuid } from '../../../platform/random.ts';
import type { SubgraphDependencies } from '../../../platform/subgraph/subgraph.ts';
import { KnownError } from '../../../schema/errors.ts';
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

/** A refused key will not become right by itself; a person may have changed its permissions. */
const REFUSED_KEY_SECONDS = 10 * 60;

const REST_MILLISECONDS = 1_000;

/** A step waits for the processor most of its time: many may wait at once, of as many accounts. */
const PARALLEL = 16;

/** Accounts whose last page took long may hold so many of them at a time. */
const SLOW_PARALLEL = 4;
const SLOW_MILLISECONDS = 2_000;

/** What the loops of this process share: slow accounts, and how many of those are being asked. */
interface Lanes {
  /** No step runs under these: what one of them still holds was left when the database went away, and is taken up again. */
  readonly owners: string[];
  readonly slow: Set<string>;
  slowUnderWay: number;
}

/** Someone else has taken over: whatever this step still wanted to write is not written. */
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

const READ_SYNC_STATES = `
  select state, count(*)::float8 as connections, coalesce(max(age), 0)::float8 as oldest_seconds
  from (select case when status = 'disconnected' then status when attempt > 0 then 'failing' else status end as state,
    case when status = 'connected' then extract(epoch from now() - coalesce(last_sync_at, connected_at)) end as age
    from payment_connection) as known
  group by state`;

function observeConnections({ database }: SubgraphDependencies): void {
  const read = (figure: 'connections' | 'oldestSeconds') => async () => {
    const found = await database.acrossOrganizations((em) => query<SyncState>(em, READ_SYNC_STATES));
    return SYNC_STATES.map((state) => ({
      labels: { state },
      value: found.find((row) => row.state === state)?.[figure] ?? 0,
    }));
  };
  observedGauges(
    {
      name: 'books_revenue_connections',
      help: 'Connections to payment processors, by how their sync goes.',
      labels: ['state'],
    },
    read('connections'),
  );
  observedGauges(
    {
      name: 'books_revenue_sync_age_seconds',
      help: 'Since the last whole sync of the connection where that is longest ago, by how it goes.',
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
  const connection = await dependencies.database.acrossOrganizations(async (em) =>
    claimDueConnection(em, owner, await databaseTime(em), passedOver),
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
    await database.acrossOrganizations((em) => releaseConnection(em, organizationId, owner, end));
  } catch (error) {
    if (error instanceof LeaseLost) return;
    const problem =
      error instanceof ProcessorError
        ? error
        : error instanceof KnownError
          ? // The stored key cannot be opened: only an operator can change that.
            new ProcessorError('refused', error.message)
          : new ProcessorError('unavailable', 'The sync met a fault of our own; it will be tried again');
    log[error instanceof ProcessorError ? 'warn' : 'error'](
      { err: error, organizationId, kind: problem.kind },
      'A step of the revenue sync failed and will be tried again',
    );
    await database.acrossOrganizations(async (em) => {
      const failedAt = await databaseTime(em);
      const next = new Date(failedAt.getTime() + backoffSeconds(problem, connection.attempt + 1) * 1000);
      await deferConnection(em, organizationId, owner, next, problem.message, failedAt);
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
  const whileHeld = <Result>(work: (em: EntityManager, at: Date) => Promise<Result>): Promise<Result> =>
    database.acrossOrganizations(async (em) => {
      const at = await databaseTime(em);
      if (!(await renewLease(em, organizationId, owner, at))) throw new LeaseLost();
      return work(em, at);
    });
  const run = await whileHeld((em, at) => resumeRun(em, connection, at));
  const page: SyncPage = {
    organizationId,
    runId: run.id,
    endUserKey: connection.endUserKey,
    counts: noCounts(),
    processor: await openProcessor(key, connection.apiBase),
    write: (work) =>
      whileHeld(async (em, at) => {
        const result = await work(em, at);
        await addCounts(em, organizationId, run.id, page.counts);
        Object.assign(page.counts, noCounts());
        return result;
      }),
  };
  return { dueAt: await syncStage(page, run), runStartedAt: run.startedAt };
}

/**
 * How long to leave the processor alone after an error.
 *
 * Doubles with every attempt (1 is the first); what the processor asks for is the least. In seconds.
 */
function backoffSeconds(error: Pick<ProcessorError, 'kind' | 'retryAfterSeconds'>, attempt: number): number {
  const own =
    error.kind === 'refused'
      ? REFUSED_KEY_SECONDS
      : Math.min(LONGEST_BACKOFF_SECONDS, FIRST_BACKOFF_SECONDS * 2 ** Math.min(attempt - 1, 20));
  return Math.max(own, Math.min(error.retryAfterSeconds ?? 0, LONGEST_BACKOFF_SECONDS));
}
