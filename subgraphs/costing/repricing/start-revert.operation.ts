/** Starts a revert that a job executes; the caller does not wait. */
import { type OperationView, readStartedOperation } from '#platform/operations/operation-requests.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { requestRevert } from './request-revert.step.ts';

export async function startRevert(context: SubgraphContext, repricingId: string): Promise<OperationView> {
  const { id } = await requestRevert(context, repricingId);
  return readStartedOperation(context, id);
}
