/** Begins to make facts those of costing's ledger, and does not wait for it. */
import { type OperationView, readOperation } from '../../../platform/operations/operation-requests.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { fail } from '../../../schema/errors.ts';
import { requestRebuild, type RebuildRequest } from './request-rebuild.step.ts';

/** Of the caller's organization; for an operator without one, of all. */
export async function startRebuild(context: SubgraphContext, request: RebuildRequest): Promise<OperationView> {
  const id = await requestRebuild(context, request);
  return (await readOperation(context, id)) ?? fail('NOT_FOUND', 'Unknown operation');
}
