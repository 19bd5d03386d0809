/** Lists differences in all books that the operator may see. */
import { fail } from '#schema/errors.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { DIFFERENCES_MAX, type DifferenceView, toDifferenceView } from './book-difference-view.ts';
import { listDifferences } from './book-difference.table.ts';

/** For the organization that the operator names, otherwise for all; the oldest first. */
export async function listBookDifferences(
  { database, principal }: SubgraphContext,
  limit: number,
): Promise<DifferenceView[]> {
  if (limit < 1 || limit > DIFFERENCES_MAX) fail('VALIDATION_ERROR', `limit must be from 1 to ${DIFFERENCES_MAX}`);
  const found = await database.system((tx) => listDifferences(tx, principal.organizationId, limit));
  return found.map(toDifferenceView);
}
