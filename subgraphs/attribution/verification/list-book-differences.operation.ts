/** Lists differences in all books that the operator may see. */
import { type Connection, type PageInput, parsePage, toConnection } from '#kernel/page-cursor.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { DIFFERENCES_MAX, type DifferenceView, toDifferenceView } from './book-difference-view.ts';
import { countDifferences, listDifferences } from './book-difference.table.ts';

/** The differences of the organization that the operator names, otherwise of all; the oldest first. */
export async function listBookDifferences(
  { database, principal }: SubgraphContext,
  input: PageInput,
): Promise<Connection<DifferenceView>> {
  const page = parsePage(input, DIFFERENCES_MAX);
  const { found, count } = await database.system(async (tx) => ({
    found: await listDifferences(tx, principal.organizationId, page),
    count: await countDifferences(tx, principal.organizationId),
  }));
  return toConnection(found.map(toDifferenceView), count, page);
}
