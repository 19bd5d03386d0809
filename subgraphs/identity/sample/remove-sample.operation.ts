/**
 * Deletes the sample data of the caller's organization like any other organization: every subgraph deletes its data.
 */
import { now } from '#platform/clock.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { deleteOrganizationRows } from '#platform/subgraph/delete-organization-rows.ts';
import { markOrganizationDeleted } from '../accounts/mark-organization-deleted.step.ts';
import { findSample, lockOrganization } from '../accounts/organization.table.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { sessionCaller } from '../sessions/session-caller.ts';
import { leaveSamples } from '../sessions/session.table.ts';

/** Safe to repeat. Requires no password: sample data contains nobody's own data, and can be created again. */
export function removeSample(context: SubgraphContext): Promise<void> {
  const { organizationId } = sessionCaller(context.principal);
  return context.database.system(async (tx) => {
    await lockOrganization(tx, organizationId);
    const sample = await findSample(tx, organizationId);
    if (sample === null) return;
    await markOrganizationDeleted(tx, context, sample.organizationId);
    await deleteOrganizationRows(tx, sample.organizationId, Number.MAX_SAFE_INTEGER, ['organization']);
    // Sessions enter a later sample only by opening it.
    await leaveSamples(tx, organizationId);
    await recordAudit(tx, {
      organizationId,
      at: now(),
      action: 'sample_data.removed',
      ...actorOf(context.principal),
      subjectId: sample.organizationId,
    });
  });
}
