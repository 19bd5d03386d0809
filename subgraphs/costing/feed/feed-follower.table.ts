/** The consumers of the feed. Batches that one of them has not acknowledged are kept. */
import { defineEntity, p } from '@mikro-orm/core';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { statement } from '#platform/database/statement.ts';

export const FeedFollowerTable = defineEntity({
  name: 'FeedFollower',
  tableName: 'feed_follower',
  properties: {
    name: p.text().primary(),
    beganAt: p.datetime(3),
  },
});

const INSERT_FEED_FOLLOWER = statement<object, { readonly name: string; readonly at: Date }>(
  'insert into feed_follower (name, began_at) values (:name, :at) on conflict do nothing',
);

const REGISTER_FOLLOWER = statement<object, { readonly name: string }>(
  'select 1 from feed_follower where name = :name',
);

/** From now on, batches are kept for this consumer too. */
export async function registerFollower(tx: WriteTransaction, name: string, at: Date): Promise<void> {
  const known = await tx.all(REGISTER_FOLLOWER, { name });
  if (known.length > 0) return;
  await tx.run(INSERT_FEED_FOLLOWER, { name, at });
}
