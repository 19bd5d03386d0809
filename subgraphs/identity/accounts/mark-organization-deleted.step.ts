/** Marks an organization as deleted: its credentials stop working, and every subgraph deletes its data. */
import { now } from '#platform/clock.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { actorOf, NO_ORGANIZATION } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { markDeleted } from './organization.table.ts';

/** Includes its sample data. Safe to repeat; must run across organizations. */
export async function markOrganizationDeleted(
  tx: WriteTransaction,
  context: SubgraphContext,
  id: string,
): Promise<void> {
  const at = now();
  for (const subjectId of await markDeleted(tx, id, at))
    await recordAudit(tx, {
      organizationId: NO_ORGANIZATION,
      at,
      action: 'organization.deleted',
      ...actorOf(context.principal),
      subjectId,
    });
}
