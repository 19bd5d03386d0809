/** Pages through sync runs, newest first. */
import { type Connection, type PageInput, parsePage, toConnection } from '#kernel/page-cursor.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { connectionOf } from '../connection/payment-connection.table.ts';
import { countRuns, latestRuns } from './runs/sync-run.table.ts';
import type { RevenueSyncRun } from '../resolvers.generated.ts';
import { toSyncRunView } from './runs/sync-run-view.ts';

const PAGE_MAX = 100;

export function listSyncRuns(context: SubgraphContext, input: PageInput): Promise<Connection<RevenueSyncRun>> {
  const organizationId = organizationOf(context);
  const page = parsePage(input, PAGE_MAX);
  return context.database.entitySnapshot(organizationId, async (tx) => {
    const runs = await latestRuns(tx, organizationId, page);
    const error = (await connectionOf(tx, organizationId))?.lastError ?? null;
    return toConnection(
      runs.map((run) => toSyncRunView(run, error)),
      await countRuns(tx, organizationId),
      page,
    );
  });
}
