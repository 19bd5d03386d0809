/** Starts a repricing that a job executes; the caller does not wait. */
import { fail } from '#schema/errors.ts';
import { type OperationView, readOperation } from '#platform/operations/operation-requests.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { parseRepricing, requestRepricing } from './request-repricing.step.ts';

export async function startRepricing(
  context: SubgraphContext,
  request: { readonly start: string; readonly end: string; readonly model?: string | null | undefined },
): Promise<OperationView> {
  const { id } = await requestRepricing(context, parseRepricing(request));
  return (await readOperation(context, id)) ?? fail('NOT_FOUND', 'Unknown operation');
}
