/** Starts to make facts match costing's ledger, without waiting for the result. */
import { type OperationView, readOperation } from '#platform/operations/operation-requests.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#schema/errors.ts';
import { requestRebuild, type RebuildRequest } from './request-rebuild.step.ts';

/** For the caller's organization; for an operator without one, for all. */
export async function startRebuild(context: SubgraphContext, request: RebuildRequest): Promise<OperationView> {
  const id = await requestRebuild(context, request);
  return (await readOperation(context, id)) ?? fail('NOT_FOUND', 'Unknown operation');
}
