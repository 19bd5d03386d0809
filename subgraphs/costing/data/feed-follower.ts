/** Who reads the feed and how far: rows of the feed below the least position are pruned. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

export const FeedFollowerTable = defineEntity({
  name: 'FeedFollower',
  tableName: 'feed_follower',
  properties: {
    name: p.text().primary(),
    /** Everything up to this pair is acknowledged. */
    xid: p.string().columnType('xid8'),
    batchId: p.bigint(),
    readAt: p.datetime(3),
  },
});

export type FeedFollower = InferEntity<typeof FeedFollowerTable>;
