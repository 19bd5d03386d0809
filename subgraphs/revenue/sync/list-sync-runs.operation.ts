/** Lists the latest sync runs, newest first. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { connectionOf } from '../connection/payment-connection.table.ts';
import { latestRuns } from './runs/sync-run.table.ts';
import type { RevenueSyncRun } from '../resolvers.generated.ts';
import { pageOf } from '../customers/page-size.ts';
import { toSyncRunView } from './runs/sync-run-view.ts';

export function listSyncRuns(context: SubgraphContext, limit: number): Promise<RevenueSyncRun[]> {
  const organizationId = organizationOf(context);
  return context.database.entitySnapshot(organizationId, async (tx) => {
    const runs = await latestRuns(tx, organizationId, pageOf({ limit }).limit);
    const error = (await connectionOf(tx, organizationId))?.lastError ?? null;
    return runs.map((run) => toSyncRunView(run, error));
  });
}
