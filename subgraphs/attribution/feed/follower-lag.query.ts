/** How far the follower is behind costing's feed. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { statement } from '#platform/database/statement.ts';
import { FEED_DIGEST } from '#schema/priced-feed.ts';

export interface FollowerLag {
  readonly batches: number;
  readonly replaying: number;
  readonly feedDigest: string;
}

interface LagInput {
  readonly organizationId: OrganizationId | null;
}

const OF_ORGANIZATION = 'where (:organizationId::uuid is null or organization_id = :organizationId)';

const COUNT_BATCHES = statement<{ batches: number; compared: number }, LagInput>(`
  select coalesce(sum(greatest(head - number, 0)), 0)::float8 as batches, count(replay)::float8 as compared
  from feed_place ${OF_ORGANIZATION}`);

const COUNT_REBUILDS = statement<{ rebuilt: number }, LagInput>(`
  select count(*)::float8 as rebuilt from operation ${OF_ORGANIZATION} and kind = 'rebuild' and state = 'running'`);

const READ_DIGEST = statement<{ feedDigest: string }, LagInput>(
  `select ${FEED_DIGEST} as feed_digest from feed_place ${OF_ORGANIZATION} and number > 0`,
);

/** How far the follower is behind, for one organization or for all. */
export async function readFollowerLag(
  tx: WriteTransaction,
  organizationId: OrganizationId | null,
): Promise<FollowerLag> {
  const { batches, compared } = await tx.one(COUNT_BATCHES, { organizationId });
  const { rebuilt } = await tx.one(COUNT_REBUILDS, { organizationId });
  const { feedDigest } = await tx.one(READ_DIGEST, { organizationId });
  return { batches, replaying: compared + rebuilt, feedDigest };
}
