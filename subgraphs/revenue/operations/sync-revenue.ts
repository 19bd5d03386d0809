/** A sync on demand: asks the job for it and waits a while for its end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { elapsedMilliseconds, now } from '../../../platform/clock.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { fail } from '../../../schema/errors.ts';
import { connectionOf, requestSync } from '../data/payment-connection.ts';
import { latestRuns, type SyncRunRow } from '../data/sync-run.ts';
import type { RevenueSyncRun } from '../resolvers.generated.ts';
import { showRun } from '../rules/show-run.ts';

interface RequestedRun {
  readonly run: SyncRunRow;
  readonly error: string | null;
}

const LOOK_EVERY_MILLISECONDS = 50;
const WAIT_SECONDS_MAX = 60;

/**
 * The run that began after it was asked for; while nothing was ever synced, the first run, which may be under way already. Returns at
 * its end, at its first fault, or after `waitSeconds` as it stands then.
 */
export async function syncRevenue(context: SubgraphContext, waitSeconds: number, full: boolean): Promise<RevenueSyncRun> {
  if (waitSeconds < 0 || waitSeconds > WAIT_SECONDS_MAX)
    fail('VALIDATION_ERROR', `waitSeconds must be from 0 to ${WAIT_SECONDS_MAX}`);
  const organizationId = organizationOf(context);
  const until = elapsedMilliseconds() + waitSeconds * 1000;
  const asked = now();
  const isConnected = await context.database.forOrganization(organizationId, (em) =>
    requestSync(em, organizationId, full, asked),
  );
  if (!isConnected) fail('NOT_FOUND', 'No payment-processor account is connected');
  for (;;) {
    const answer = await look(context, organizationId, asked);
    if (answer !== null && (answer.run.state !== 'running' || answer.error !== null || elapsedMilliseconds() >= until)) {
      return showRun(answer.run, answer.error);
    }
    if (elapsedMilliseconds() >= until + 5_000)
      return fail('INTERNAL_SERVER_ERROR', 'No process took up the sync: is revenue running with its jobs?');
    await sleep(LOOK_EVERY_MILLISECONDS);
  }
}

async function look(context: SubgraphContext, organizationId: string, asked: Date): Promise<RequestedRun | null> {
  return context.database.forOrganization(organizationId, async (em) => {
    const runs = await latestRuns(em, organizationId, 5);
    const isFirst = !runs.some(({ state, started_at }) => state === 'finished' && started_at < asked.toISOString());
    const run =
      runs.find(({ state, started_at }) => started_at >= asked.toISOString() || (isFirst && state !== 'abandoned')) ?? null;
    if (run === null) return null;
    const connection = await connectionOf(em, organizationId);
    const failed = connection !== null && connection.lastErrorAt !== null && connection.lastErrorAt >= asked;
    return { run, error: failed ? connection.lastError : null };
  });
}
