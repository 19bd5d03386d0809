/** How far the follower is behind costing's feed. */
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { queryOne } from '#platform/database/sql.ts';
import { FEED_DIGEST } from '#schema/priced-feed.ts';

export interface FollowerLag {
  readonly batches: number;
  readonly replaying: number;
  readonly feedDigest: string;
}

/** For one organization, or for all. */
export async function readFollowerLag(tx: WriteTransaction, organizationId: string | null): Promise<FollowerLag> {
  const ofIt = 'where ($1::uuid is null or organization_id = $1)';
  const { batches, compared } = await queryOne<{ batches: number; compared: number }>(
    tx,
    `select coalesce(sum(greatest(head - number, 0)), 0)::float8 as batches, count(replay)::float8 as compared from feed_place ${ofIt}`,
    [organizationId],
  );
  const { rebuilt } = await queryOne<{ rebuilt: number }>(
    tx,
    `select count(*)::float8 as rebuilt from operation ${ofIt} and kind = 'rebuild' and state = 'running'`,
    [organizationId],
  );
  const { feedDigest } = await queryOne<{ feedDigest: string }>(
    tx,
    `select ${FEED_DIGEST} as feed_digest from feed_place ${ofIt} and number > 0`,
    [organizationId],
  );
  return { batches, replaying: compared + rebuilt, feedDigest };
}
