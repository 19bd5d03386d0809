/** Starts a revert that a job executes; the caller does not wait. */
import { fail } from '#schema/errors.ts';
import { type OperationView, readOperation } from '#platform/operations/operation-requests.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { requestRevert } from './request-revert.step.ts';

export async function startRevert(context: SubgraphContext, repricingId: string): Promise<OperationView> {
  const { id } = await requestRevert(context, repricingId);
  return (await readOperation(context, id)) ?? fail('NOT_FOUND', 'Unknown operation');
}
