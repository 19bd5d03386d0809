/** Lists the organizations that keep metadata for a limited time, so that other subgraphs can remove theirs. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { FEED_MARKS_MAX, GLOBAL_TENANT } from '../config.ts';
import { checkAtMost } from '../feed/check-follower.ts';
import { listRetentions, type OrganizationRetention } from './metadata-retention.table.ts';

export interface RetentionsQuery {
  /** The last organization of the previous page. */
  readonly after?: string | null | undefined;
  readonly max: number;
}

/** Retentions of metadata, in order of organization id. */
export async function listMetadataRetentions(
  context: SubgraphContext,
  { after, max }: RetentionsQuery,
): Promise<OrganizationRetention[]> {
  checkAtMost('max', max, FEED_MARKS_MAX);
  return listRetentions(context.database, after ?? GLOBAL_TENANT, max);
}
