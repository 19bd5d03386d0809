/** Resumes a long operation that was cancelled or has failed, with its original parameters. */
import { now } from '#platform/clock.ts';
import { type OperationView, resumeById } from '#platform/operations/operation-requests.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { OPERATION_KINDS } from './operation-kinds.step.ts';

export function resumeOperation(context: SubgraphContext, id: string): Promise<OperationView> {
  return resumeById(context, id, OPERATION_KINDS, (tx, { organizationId, kind }) =>
    recordAudit(tx, {
      organizationId,
      at: now(),
      action: 'operation.resumed',
      ...actorOf(context.principal),
      subjectId: id,
      detail: kind,
    }),
  );
}
