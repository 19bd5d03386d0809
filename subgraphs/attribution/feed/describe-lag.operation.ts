/** Progress of the priced feed's follower and of the backfill of late dimensions. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { readFollowerLag } from './follower-lag.query.ts';
import { countRefusals } from './refused-fact.table.ts';
import { isBackfilled } from '../rollups/rollup-key.table.ts';
import type { AttributionLag } from '../resolvers.generated.ts';

/**
 * For the organization that the caller names, otherwise for all. `batches` is the state when the follower last read the
 * feed; only costing knows what was published since.
 */
export function describeLag({ database, principal }: SubgraphContext): Promise<AttributionLag> {
  return database.system(async (tx) => ({
    ...(await readFollowerLag(tx, principal.organizationId)),
    setAside: await countRefusals(tx, principal.organizationId),
    backfilled: await isBackfilled(tx, principal.organizationId),
  }));
}
