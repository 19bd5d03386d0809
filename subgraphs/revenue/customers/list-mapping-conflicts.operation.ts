/** Pages through customers and end users that do not match one to one (decision 9, D42). */
import { type Connection, type PageInput, parsePage, toConnection } from '#kernel/page-cursor.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { RevenueMappingConflict } from '../resolvers.generated.ts';
import { toConflictView } from './customer-view.ts';
import { countMappingConflicts, mappingConflicts } from './mapping-conflicts.query.ts';
import { CONNECTION_PAGE_MAX } from './page-size.ts';

export async function listMappingConflicts(
  context: SubgraphContext,
  input: PageInput,
): Promise<Connection<RevenueMappingConflict>> {
  const organizationId = organizationOf(context);
  const page = parsePage(input, CONNECTION_PAGE_MAX);
  const { rows, totalCount } = await context.database.snapshot(organizationId, async (tx) => ({
    rows: await mappingConflicts(tx, organizationId, page),
    totalCount: await countMappingConflicts(tx, organizationId),
  }));
  return toConnection(rows.map(toConflictView), totalCount, page);
}
