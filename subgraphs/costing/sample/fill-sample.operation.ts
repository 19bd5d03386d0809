/** Starts to fill the sample organization of the caller's session, or resumes filling it. */
import { lockOrganization } from '#platform/database/locks.ts';
import { now } from '#platform/clock.ts';
import { type OperationView, readStartedOperation } from '#platform/operations/operation-requests.ts';
import { insertOperation, listOperations, resumeOperation } from '#platform/operations/operation-table.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import { fail } from '#kernel/errors.ts';
import { DAYS } from '../../../sample/history.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { FILL_SAMPLE, type FillParameters } from './fill-sample.step.ts';

/** Can be repeated: sample data is filled once. Fails with `FORBIDDEN` for an organization that is not a sample. */
export async function fillSample(context: SubgraphContext): Promise<OperationView> {
  const organizationId = organizationOf(context);
  const { accountUserId, sampleOf } = context.principal;
  if (sampleOf === undefined || accountUserId === null)
    fail('FORBIDDEN', 'Only a sample organization can be filled with sample data');
  const operationId = await context.database.write(organizationId, async (tx) => {
    await lockOrganization(tx, 'sample', organizationId);
    const [begun] = await listOperations(tx, { organizationId, kind: FILL_SAMPLE, limit: 1 });
    if (begun !== undefined) {
      await resumeOperation(tx, organizationId, begun.id);
      return begun.id;
    }
    const at = now();
    const [id = ''] = uuidsV7(1);
    const parameters: FillParameters = { accountUserId, endsAt: at.toISOString() };
    await insertOperation(tx, { organizationId, id, kind: FILL_SAMPLE, parameters, total: DAYS });
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'sample_data.filled',
      ...actorOf(context.principal),
      subjectId: id,
    });
    return id;
  });
  return readStartedOperation(context, operationId);
}
