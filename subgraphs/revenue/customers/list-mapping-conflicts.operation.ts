/** Lists customers and end users that do not match one to one (decision 9, D42). */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { mappingConflicts } from './customer.table.ts';
import type { RevenueMappingConflict } from '../resolvers.generated.ts';
import { pageOf } from './page-size.ts';
import { toConflictView } from './customer-view.ts';

export async function listMappingConflicts(context: SubgraphContext, limit: number): Promise<RevenueMappingConflict[]> {
  const organizationId = organizationOf(context);
  const rows = await context.database.snapshot(organizationId, (tx) =>
    mappingConflicts(tx, organizationId, pageOf({ limit }).limit),
  );
  return rows.map(toConflictView);
}
