/** Removes a commitment. Its shortfalls are reverted in the background. */
import { now } from '#platform/clock.ts';
import { announceAfterCommit } from '#platform/database/announce.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { COMMITMENT_CHANNEL } from '../config.ts';
import { requireCommitment } from './change-commitment.step.ts';
import { listCommitmentRows, saveCommitmentRow } from './commitment.table.ts';

/** Returns the id. Fails with `NOT_FOUND`. */
export async function removeCommitment(context: SubgraphContext, id: string): Promise<string> {
  const organizationId = organizationOf(context);
  const at = now();
  await context.database.write(organizationId, async (tx) => {
    await lockOrganization(tx, 'commitments', organizationId);
    const before = requireCommitment(await listCommitmentRows(tx, organizationId), id);
    await saveCommitmentRow(tx, organizationId, {
      ...before,
      isRemoved: true,
      revision: before.revision + 1,
      changedAt: at,
    });
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'commitment.removed',
      ...actorOf(context.principal),
      subjectId: id,
      detail: `${before.name} with ${before.providerSlug}`,
    });
    announceAfterCommit(tx, COMMITMENT_CHANNEL);
  });
  return id;
}
