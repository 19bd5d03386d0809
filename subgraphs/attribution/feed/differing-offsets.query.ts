/** Organizations whose offset differs from the end of their feed. */
import type { OrganizationId } from '#kernel/ids.ts';
import { byOrganization, lookAcross } from '#platform/database/nodes/look-across.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { FeedMark } from '#schema/priced-feed.ts';

export interface DifferingOffset {
  readonly organizationId: OrganizationId;
  /** The follower's offset; 0 if it has none. */
  readonly number: number;
}

/**
 * Returns organizations after `after` up to `upTo` (null: no limit) whose offset differs from `marks`, or that have
 * seen a later batch.
 */
export async function findDifferingOffsets(
  database: Database,
  marks: readonly (FeedMark & { readonly organizationId: OrganizationId })[],
  after: string,
  upTo: string | null,
): Promise<DifferingOffset[]> {
  const places = await lookAcross<
    FeedMark & { readonly organizationId: OrganizationId; readonly hasEvidence: boolean }
  >(database, {
    tables: ['feed_place'],
    text: (table) => `
      select organization_id, number::float8 as number, token, evidence_number is not null as has_evidence from ${table}
      where organization_id > $1::uuid and ($2::uuid is null or organization_id <= $2) and (number > 0 or taken > 0)`,
    parameters: [after, upTo],
    compare: byOrganization,
  });
  const left = new Map(marks.map((mark) => [mark.organizationId, mark]));
  const others = places.flatMap(({ organizationId, number, token, hasEvidence }): DifferingOffset[] => {
    const mark = left.get(organizationId);
    left.delete(organizationId);
    const isThere = mark !== undefined && mark.number === number && mark.token === token;
    return isThere && !hasEvidence ? [] : [{ organizationId, number }];
  });
  // The remaining marks have no offset yet.
  const started = [...left.keys()].map((organizationId) => ({ organizationId, number: 0 }));
  return [...others, ...started].toSorted(byOrganization);
}
