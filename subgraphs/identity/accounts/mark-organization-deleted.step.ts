/** Marks an organization as deleted: from then on no credential of it opens anything, and every subgraph deletes what it keeps of it. */
import { now } from '../../../platform/clock.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { actorOf, NO_ORGANIZATION } from '../../../platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { markDeleted } from './organization.table.ts';

/** Its sample data goes with it. Safe to repeat; must run across organizations. */
export async function markOrganizationDeleted(em: EntityManager, context: SubgraphContext, id: string): Promise<void> {
  const at = now();
  for (const subjectId of await markDeleted(em, id, at))
    await recordAudit(em, {
      organizationId: NO_ORGANIZATION,
      at,
      action: 'organization.deleted',
      ...actorOf(context.principal),
      subjectId,
    });
}
