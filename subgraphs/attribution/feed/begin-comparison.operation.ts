/** Has an organization's facts compared with costing's ledger, of all its events or of those of a time: the operator's remedy. */
import { queryOne } from '../../../platform/database/sql.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { requestRebuild, type RebuildRequest } from './request-rebuild.step.ts';

/**
 * Of the organization that the operator names, else of all. It is begun, and goes on in the background while figures are read and new
 * facts arrive. Returns of how many organizations.
 */
export async function beginComparison(context: SubgraphContext, request: RebuildRequest): Promise<number> {
  await requestRebuild(context, request);
  if (context.principal.organizationId !== null) return 1;
  const { count } = await context.database.acrossOrganizations((em) =>
    queryOne<{ count: number }>(em, 'select count(*)::float8 as count from feed_place'),
  );
  return count;
}
