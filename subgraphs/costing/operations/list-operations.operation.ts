/** Long operations, newest first, and one of them. */
import {
  type OperationPage,
  type OperationView,
  readOperation,
  readOperations,
} from '../../../platform/operations/operation-requests.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';

export function listOperations(context: SubgraphContext, page: OperationPage): Promise<OperationView[]> {
  return readOperations(context, page);
}

export function getOperation(context: SubgraphContext, id: string): Promise<OperationView | null> {
  return readOperation(context, id);
}
