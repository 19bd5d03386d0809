/** Audits the books: every line's entries must add up to one record or none, without gaps. */
import { liftTimeLimit } from '../../../platform/database/sql.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { auditRecords } from '../data/audit-records.ts';
import type { RevenueAuditCheck } from '../resolvers.generated.ts';

export async function verifyRevenue(context: SubgraphContext): Promise<RevenueAuditCheck[]> {
  const organizationId = organizationOf(context);
  return context.database.forOrganization(organizationId, async (em) => {
    await liftTimeLimit(em);
    return auditRecords(em, organizationId);
  });
}
