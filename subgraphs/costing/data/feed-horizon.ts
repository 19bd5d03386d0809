/** How far the feed has been pruned: one row, missing while nothing was. An older position is replayed from the ledger. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

export const FeedHorizonTable = defineEntity({
  name: 'FeedHorizon',
  tableName: 'feed_horizon',
  properties: {
    id: p.integer().primary(),
    xid: p.string().columnType('xid8'),
    batchId: p.bigint(),
  },
});

export type FeedHorizon = InferEntity<typeof FeedHorizonTable>;
