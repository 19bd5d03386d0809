/** How far costing takes a follower to be in each organization: one who stands elsewhere was restored, or costing was. */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { FEED_MARKS_MAX, GLOBAL_TENANT } from '../config.ts';
import { checkAtMost, checkFollower } from './check-follower.ts';
import { type AcknowledgedMark, listAcknowledgedMarks } from './feed-parts.query.ts';

export interface FeedMarksQuery {
  readonly follower: string;
  /** Of the last organization of the page before. */
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
