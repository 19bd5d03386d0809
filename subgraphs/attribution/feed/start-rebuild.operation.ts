/**
 * Starts comparing facts with costing's ledger, for all events or a range of time, and repairing differences. The
 * comparison runs in the background while figures are read and new facts arrive.
 */
import { lookAcross } from '#platform/database/nodes/look-across.ts';
import { type OperationView, readStartedOperation } from '#platform/operations/operation-requests.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { requestRebuild, type RebuildRequest } from './request-rebuild.step.ts';

/** Rebuilds the caller's organization. An operator who names no organization rebuilds all of them. */
export async function startRebuild(
  context: SubgraphContext,
  request: RebuildRequest,
): Promise<{ operation: OperationView; organizations: number }> {
  const id = await requestRebuild(context, request);
  const organizations = await countOrganizations(context);
  return { operation: await readStartedOperation(context, id), organizations };
}

/** Organizations on an unreachable node are not counted; they are compared when it is back. */
async function countOrganizations({ database, principal }: SubgraphContext): Promise<number> {
  if (principal.organizationId !== null) return 1;
  const counts = await lookAcross<{ count: number }>(database, {
    tables: ['feed_place'],
    text: (table) => `select count(*)::float8 as count from ${table}`,
    parameters: [],
    compare: () => 0,
  });
  return counts.reduce((sum, { count }) => sum + count, 0);
}
