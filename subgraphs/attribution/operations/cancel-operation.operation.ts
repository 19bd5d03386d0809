/** Cancels a long operation at its current position. */
import { now } from '#platform/clock.ts';
import { cancelById, type OperationView } from '#platform/operations/operation-requests.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';

export function cancelOperation(context: SubgraphContext, id: string): Promise<OperationView> {
  return cancelById(context, id, (tx, { organizationId, kind }) =>
    recordAudit(tx, {
      organizationId,
      at: now(),
      action: 'operation.cancelled',
      ...actorOf(context.principal),
      subjectId: id,
      detail: kind,
    }),
  );
}
