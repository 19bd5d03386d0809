/** Who reads the feed and how far: rows of the feed below the least position are pruned. */
import { defineEntity, p } from '@mikro-orm/core';
import type { FeedPosition } from '../../../schema/priced-feed.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query } from '../../../platform/database/sql.ts';

export const FeedFollowerTable = defineEntity({
  name: 'FeedFollower',
  tableName: 'feed_follower',
  properties: {
    name: p.text().primary(),
    /** Everything up to this pair is acknowledged. */
    xid: p.string().columnType('xid8'),
    batchId: p.bigint(),
    /** Whether it is still being brought what lies before. */
    replaying: p.boolean(),
    readAt: p.datetime(3),
  },
});

/** Everything up to the position is the follower's now. */
export async function acknowledge(
  em: EntityManager,
  name: string,
  position: FeedPosition,
  readAt: Date,
): Promise<void> {
  await query(
    em,
    `
    insert into feed_follower as f (name, xid, batch_id, replaying, read_at) values ($1, $2::text::xid8, $3::bigint, $4, $5)
    on conflict (name) do update set xid = excluded.xid, batch_id = excluded.batch_id, replaying = excluded.replaying,
      read_at = excluded.read_at
    where (f.xid, f.batch_id, f.replaying) is distinct from (excluded.xid, excluded.batch_id, excluded.replaying)`,
    [name, position.xid, position.id, position.replay !== undefined, readAt],
  );
}

/** Batches that the slowest follower has not acknowledged, one more while it is brought the past. All while there is none. */
export async function countFeedLag(em: EntityManager, organizationId: string | null): Promise<number> {
  const [lag] = await query<{ lag: number }>(
    em,
    `
    with slowest as (select xid, batch_id from feed_follower order by xid, batch_id limit 1)
    select ((select count(*) from priced_batch b where ($1::uuid is null or b.organization_id = $1)
        and not exists (select 1 from slowest s where (b.xid, b.id) <= (s.xid, s.batch_id)))
      + (select count(*) from feed_follower where replaying))::int as lag`,
    [organizationId],
  );
  return lag?.lag ?? 0;
}
