/** How far the feed has been pruned: one row, missing while nothing was. An older position is replayed from the ledger. */
import { defineEntity, p } from '@mikro-orm/core';
import type { FeedPosition } from '../../../schema/priced-feed.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query } from '../../../platform/database/sql.ts';

export const FeedHorizonTable = defineEntity({
  name: 'FeedHorizon',
  tableName: 'feed_horizon',
  properties: {
    id: p.integer().primary().autoincrement(false),
    xid: p.string().columnType('xid8'),
    batchId: p.bigint(),
  },
});

/** Whether rows after the position are gone already. */
export async function isBeyondHorizon(em: EntityManager, { xid, id }: FeedPosition): Promise<boolean> {
  const rows = await query(em, 'select 1 from feed_horizon where (xid, batch_id) > ($1::text::xid8, $2::bigint)', [
    xid,
    id,
  ]);
  return rows.length > 0;
}

/** Removes what every follower has acknowledged, at most `rowsMax` rows. Returns how many. */
export async function pruneFeed(em: EntityManager, rowsMax: number): Promise<number> {
  const [pruned] = await query<{ count: number }>(
    em,
    `
    with least as (select xid, batch_id from feed_follower order by xid, batch_id limit 1),
    gone as (
      delete from priced_batch where (organization_id, id) in (
        select b.organization_id, b.id from priced_batch b, least l where (b.xid, b.id) <= (l.xid, l.batch_id)
        order by b.xid, b.id limit $1)
      returning xid, id),
    last as (select xid, id from gone order by xid desc, id desc limit 1),
    horizon as (
      insert into feed_horizon (id, xid, batch_id) select 1, xid, id from last
      on conflict (id) do update set xid = excluded.xid, batch_id = excluded.batch_id)
    select count(*)::int as count from gone`,
    [rowsMax],
  );
  return pruned?.count ?? 0;
}
