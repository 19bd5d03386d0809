/**
 * Returns the number of events waiting for a price and the lag of feed consumers, for `settle` and readiness checks.
 */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { readFeedLag } from '../feed/feed-acknowledgement.table.ts';
import { digestHeads } from '../feed/feed-parts.query.ts';
import { readQueueDepth } from './pricing-job.table.ts';

export interface PricingBacklog {
  readonly pendingEvents: number;
  readonly feedLag: number;
  readonly oldestUnacknowledgedSeconds: number;
  readonly feedDigest: string;
  readonly oldestPendingSeconds: number;
}

/** Backlog of the caller's organization, or of all. */
export function getPricingBacklog(context: SubgraphContext): Promise<PricingBacklog> {
  return context.database.system(async (tx) => {
    const { organizationId } = context.principal;
    const { events, oldestSeconds } = await readQueueDepth(tx, organizationId);
    const lag = await readFeedLag(tx, organizationId);
    return {
      pendingEvents: events,
      feedLag: lag.batches,
      oldestUnacknowledgedSeconds: lag.oldestSeconds,
      feedDigest: await digestHeads(tx, organizationId),
      oldestPendingSeconds: oldestSeconds,
    };
  });
}
