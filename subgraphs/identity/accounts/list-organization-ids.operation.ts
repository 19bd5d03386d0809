/**
 * Lists existing or deleted organizations: other subgraphs watch the existing ones, and delete the data of the deleted
 * ones.
 */
import { isUuid } from '#kernel/uuid.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { listOrganizationIds as listIds } from './organization.table.ts';

const PAGE = 1_000;

/** Returns a page of ids after `after`, in ascending order; an empty page is the last. */
export function listOrganizationIds(
  { database }: SubgraphContext,
  which: 'present' | 'deleted',
  after: string | null,
): Promise<string[]> {
  if (after !== null && !isUuid(after)) fail('VALIDATION_ERROR', 'after must be the id of an organization');
  return database.system((tx) => listIds(tx, { deleted: which === 'deleted', after, max: PAGE }));
}
