/** One long operation. */
import { type OperationView, readOperation } from '#platform/operations/operation-requests.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';

export function getOperation(context: SubgraphContext, id: string): Promise<OperationView | null> {
  return readOperation(context, id);
}
