/**
 * Lists a consumer's acknowledged position in each organization. If the consumer's own position differs, the consumer
 * or costing was restored from a backup.
 */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { FEED_MARKS_MAX, GLOBAL_TENANT } from '../config.ts';
import { checkAtMost, checkFollower } from './check-follower.ts';
import { type AcknowledgedMark, listAcknowledgedMarks } from './feed-parts.query.ts';

export interface FeedMarksQuery {
  readonly follower: string;
  /** The last organization of the previous page. */
  readonly after?: string | null | undefined;
  readonly max: number;
}

export async function listFeedMarks(
  context: SubgraphContext,
  { follower, after, max }: FeedMarksQuery,
): Promise<AcknowledgedMark[]> {
  checkFollower(follower);
  checkAtMost('max', max, FEED_MARKS_MAX);
  return listAcknowledgedMarks(context.database, follower, after ?? GLOBAL_TENANT, max);
}
