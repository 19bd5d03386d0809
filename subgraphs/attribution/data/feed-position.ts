/** Where the follower stands. Its row is also the lock under which facts arrive: one transaction at a time. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

export const FeedPositionTable = defineEntity({
  name: 'FeedPosition',
  tableName: 'feed_position',
  properties: {
    follower: p.text().primary(),
    /** As costing gave it; null before the first batch. */
    position: p.json<unknown>().nullable(),
    /** Number of the last transaction that brought facts; each fact keeps its own. */
    arrival: p.bigint(),
    /** Batches that were known and not applied when the follower last looked. */
    batchesBehind: p.bigint(),
  },
});

export type FeedPosition = InferEntity<typeof FeedPositionTable>;
