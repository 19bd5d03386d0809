/** Long operations, newest first. */
import type { UncountedConnection } from '#kernel/page-cursor.ts';
import { type OperationPage, type OperationView, readOperations } from '#platform/operations/operation-requests.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';

export function listOperations(
  context: SubgraphContext,
  page: OperationPage,
): Promise<UncountedConnection<OperationView>> {
  return readOperations(context, page);
}
