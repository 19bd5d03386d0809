/** How far the follower of the priced feed and the backfill of late dimensions have come. */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { readPosition } from './feed-position.table.ts';
import { isBackfilled } from '../rollups/rollup-key.table.ts';
import type { AttributionLag } from '../resolvers.generated.ts';

/** `batches` is what the follower knew when it last looked: the feed's owner alone knows what was published since. */
export function describeLag(context: SubgraphContext): Promise<AttributionLag> {
  return context.database.acrossOrganizations(async (em) => ({
    batches: (await readPosition(em))?.batchesBehind ?? 0,
    backfilled: await isBackfilled(em),
  }));
}
