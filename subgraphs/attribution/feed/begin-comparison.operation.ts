/**
 * Compares an organization's facts with costing's ledger, for all events or a range of time. Operators use it to
 * repair facts.
 */
import { lookAcross } from '#platform/database/nodes/look-across.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { requestRebuild, type RebuildRequest } from './request-rebuild.step.ts';

/**
 * Compares the organization that the operator names, otherwise all. The comparison runs in the background while
 * figures are read and new facts arrive. Returns the number of organizations. Those on an unreachable node are not
 * counted; they are compared when it is back.
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
