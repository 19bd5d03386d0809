/** Returns one sync run, for polling until it has ended. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { connectionOf } from '../connection/payment-connection.table.ts';
import { runById } from './runs/sync-run.table.ts';
import type { RevenueSyncRun } from '../resolvers.generated.ts';
import { toSyncRunView } from './runs/sync-run-view.ts';

/** Fails with `NOT_FOUND`. */
export function findSyncRun(context: SubgraphContext, id: string): Promise<RevenueSyncRun> {
  const organizationId = organizationOf(context);
  return context.database.entitySnapshot(organizationId, async (tx) => {
    const run = (await runById(tx, organizationId, id)) ?? fail('NOT_FOUND', 'Unknown sync run');
    return toSyncRunView(run, (await connectionOf(tx, organizationId))?.lastError ?? null);
  });
}
