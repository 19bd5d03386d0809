/** Which organizations there are, or were: other subgraphs watch the ones and delete what they keep of the others. */
import { isUuid } from '../../../kernel/uuid.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { fail } from '../../../schema/errors.ts';
import { listOrganizationIds as listIds } from './organization.table.ts';

const PAGE = 1_000;

/** A page of ids in their order, those after `after`; an empty one is the end. */
export function listOrganizationIds(
  { database }: SubgraphContext,
  which: 'present' | 'deleted',
  after: string | null,
): Promise<string[]> {
  if (after !== null && !isUuid(after)) fail('VALIDATION_ERROR', 'after must be the id of an organization');
  return database.acrossOrganizations((em) => listIds(em, { deleted: which === 'deleted', after, max: PAGE }));
}
