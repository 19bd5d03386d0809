/** Which organizations are deleted: the other subgraphs delete what they keep of them. */
import { isUuid } from '../../../kernel/uuid.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { fail } from '../../../schema/errors.ts';
import { listDeletedOrganizations as listDeleted } from './organization.table.ts';

const PAGE = 1_000;

/** A page of ids in their order, those after `after`; an empty one is the end. */
export function listDeletedOrganizations({ database }: SubgraphContext, after: string | null): Promise<string[]> {
  if (after !== null && !isUuid(after)) fail('VALIDATION_ERROR', 'after must be the id of an organization');
  return database.acrossOrganizations((em) => listDeleted(em, after, PAGE));
}
