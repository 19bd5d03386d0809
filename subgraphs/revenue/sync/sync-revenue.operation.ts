/** Requests a sync and waits for its end. */
import type { OrganizationId } from '#kernel/ids.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { elapsedMilliseconds } from '#platform/clock.ts';
import { databaseTime } from '#platform/database/sql.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { connectionOf, requestSync } from '../connection/payment-connection.table.ts';
import { latestRuns, type SyncRunRow } from './runs/sync-run.table.ts';
import type { RevenueSyncRun } from '../resolvers.generated.ts';
import { toSyncRunView } from './runs/sync-run-view.ts';

interface RequestedRun {
  readonly run: SyncRunRow | null;
  readonly isAnswer: boolean;
  readonly error: string | null;
}

const LOOK_EVERY_MILLISECONDS = 50;
const WAIT_SECONDS_MAX = 60;
/** Time beyond `waitSeconds` in which a job must start the requested sync. */
const GRACE_MILLISECONDS = 5_000;

/**
 * Waits until the run that began after the request ends or has an error, at most `waitSeconds`, and returns its
 * state. If no sync has finished before, this is the first run, which may already be running.
 */
export async function syncRevenue(
  context: SubgraphContext,
  waitSeconds: number,
  full: boolean,
): Promise<RevenueSyncRun> {
  if (waitSeconds < 0 || waitSeconds > WAIT_SECONDS_MAX)
    fail('VALIDATION_ERROR', `waitSeconds must be from 0 to ${WAIT_SECONDS_MAX}`);
  const organizationId = organizationOf(context);
  const until = elapsedMilliseconds() + waitSeconds * 1000;
  const { isConnected, requestedAt } = await context.database.write(organizationId, async (tx) => {
    const requestedAt = await databaseTime(tx);
    const requested = await requestSync(tx, organizationId, full, requestedAt);
    if (requested)
      await recordAudit(tx, {
        organizationId,
        at: requestedAt,
        action: 'sync.requested',
        ...actorOf(context.principal),
        detail: full ? 'full' : null,
      });
    return { isConnected: requested, requestedAt };
  });
  if (!isConnected) fail('NOT_FOUND', 'No payment-processor account is connected');
  for (;;) {
    const { run, isAnswer, error } = await look(context, organizationId, requestedAt);
    const isOver = elapsedMilliseconds() >= until;
    if (run !== null && (isOver || error !== null || (isAnswer && run.state !== 'running')))
      return toSyncRunView(run, error);
    if (elapsedMilliseconds() >= until + GRACE_MILLISECONDS)
      return fail('INTERNAL_SERVER_ERROR', 'No process started the sync: is revenue running with its jobs?');
    await sleep(LOOK_EVERY_MILLISECONDS);
  }
}

/** Finds the requested run. Until it has begun, returns the running one, which may be delaying it. */
async function look(
  context: SubgraphContext,
  organizationId: OrganizationId,
  requestedAt: Date,
): Promise<RequestedRun> {
  return context.database.write(organizationId, async (tx) => {
    const runs = await latestRuns(tx, organizationId, { limit: 5, offset: 0 });
    const isFirst = !runs.some(({ state, startedAt }) => state === 'finished' && startedAt < requestedAt.toISOString());
    const answer = runs.find(
      ({ state, startedAt }) => startedAt >= requestedAt.toISOString() || (isFirst && state !== 'abandoned'),
    );
    const connection = await connectionOf(tx, organizationId);
    const failed = connection !== null && connection.lastErrorAt !== null && connection.lastErrorAt >= requestedAt;
    return {
      run: answer ?? runs.find(({ state }) => state === 'running') ?? null,
      isAnswer: answer !== undefined,
      error: failed ? connection.lastError : null,
    };
  });
}
