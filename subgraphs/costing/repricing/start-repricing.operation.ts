/** Starts a repricing that a job executes; the caller does not wait. */
import { type OperationView, readStartedOperation } from '#platform/operations/operation-requests.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { parseRepricing, requestRepricing } from './request-repricing.step.ts';

export async function startRepricing(
  context: SubgraphContext,
  request: { readonly start: string; readonly end: string; readonly model?: string | null | undefined },
): Promise<OperationView> {
  const { id } = await requestRepricing(context, parseRepricing(request));
  return readStartedOperation(context, id);
}
