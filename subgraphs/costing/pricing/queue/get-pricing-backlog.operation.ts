/** How much waits for its price, and how far followers are behind: what `settle` and readiness look at. */
import type { SubgraphContext } from '../../../../platform/subgraph/context.ts';
import { countFeedLag } from '../../feed/feed-follower.table.ts';
import { readQueueDepth } from './pricing-job.table.ts';

export interface PricingBacklog {
  readonly pendingEvents: number;
  readonly feedLag: number;
  readonly oldestPendingSeconds: number;
}

/** Of the organization that the caller names, else of all. */
export function getPricingBacklog(context: SubgraphContext): Promise<PricingBacklog> {
  return context.database.acrossOrganizations(async (em) => {
    const { organizationId } = context.principal;
    const { events, oldestSeconds } = await readQueueDepth(em, organizationId);
    const feedLag = await countFeedLag(em, organizationId);
    return { pendingEvents: events, feedLag, oldestPendingSeconds: oldestSeconds };
  });
}
