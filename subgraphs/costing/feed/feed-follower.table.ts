/** The consumers of the feed. Batches that one of them has not acknowledged are kept. */
import { defineEntity, p } from '@mikro-orm/core';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { query } from '#platform/database/sql.ts';

export const FeedFollowerTable = defineEntity({
  name: 'FeedFollower',
  tableName: 'feed_follower',
  properties: {
    name: p.text().primary(),
    beganAt: p.datetime(3),
  },
});

/** From now on, batches are kept for this consumer too. */
export async function registerFollower(tx: WriteTransaction, name: string, at: Date): Promise<void> {
  const known = await query(tx, 'select 1 from feed_follower where name = $1', [name]);
  if (known.length > 0) return;
  await query(tx, 'insert into feed_follower (name, began_at) values ($1, $2) on conflict do nothing', [name, at]);
}
