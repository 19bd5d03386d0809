/** Has an organization's facts compared with costing's ledger, of all its events or of those of a time: the operator's remedy. */
import { lookAcross } from '../../../platform/database/nodes/look-across.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { requestRebuild, type RebuildRequest } from './request-rebuild.step.ts';

/**
 * Of the organization that the operator names, else of all. It is begun, and goes on in the background while figures are read and new
 * facts arrive. Returns of how many organizations; while a node is away without those of its own, whose turn comes when it is back.
 */
export async function beginComparison(context: SubgraphContext, request: RebuildRequest): Promise<number> {
  await requestRebuild(context, request);
  if (context.principal.organizationId !== null) return 1;
  const counts = await lookAcross<{ count: number }>(context.database, {
    tables: ['feed_place'],
    text: (table) => `select count(*)::float8 as count from ${table}`,
    parameters: [],
    compare: () => 0,
  });
  return counts.reduce((sum, { count }) => sum + count, 0);
}
