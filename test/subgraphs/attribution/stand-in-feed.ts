/** A feed that serves what it is told to, as costing's does through the gateway. */
import type { GatewayClient } from '../../../platform/gateway-client.ts';
import type { VariablesOf } from '../../../schema/graphql.ts';
import type { CostFact, FeedPosition, PricedBatch, PricedFeedPage, SeenEndUser } from '../../../schema/priced-feed.ts';

export interface StandInFeed {
  readonly gateway: GatewayClient;
  /** Publishes one batch. */
  publish(organizationId: string, facts: readonly CostFact[], endUsers?: readonly SeenEndUser[]): void;
}

export function standInFeed(): StandInFeed {
  const batches: PricedBatch[] = [];
  const page = (position: FeedPosition | null, batchesMax: number): PricedFeedPage => {
    const from = Number(position?.id ?? 0);
    return { batches: batches.slice(from, from + batchesMax), more: batches.length > from + batchesMax };
  };
  return {
    publish(organizationId, facts, endUsers = []) {
      batches.push({ organizationId, facts, endUsers, position: { xid: '1', id: String(batches.length + 1) } });
    },
    gateway: {
      authenticate: async () => null,
      execute: async (_, variables) => {
        const { position, batchesMax } = variables as VariablesOf<'PricedFeed'>;
        return { data: { pricedFeed: page(position as FeedPosition | null, batchesMax) } as never };
      },
      close: async () => {},
    },
  };
}
