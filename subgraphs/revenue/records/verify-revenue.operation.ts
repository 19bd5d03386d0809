/** Verifies that each line's entries have no gaps and add up to one record or none. */
import { liftTimeLimit } from '#platform/database/sql.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { verifyRecords } from './verify-records.query.ts';
import type { VerificationCheck } from '../resolvers.generated.ts';

export async function verifyRevenue(context: SubgraphContext): Promise<VerificationCheck[]> {
  const organizationId = organizationOf(context);
  return context.database.write(organizationId, async (tx) => {
    await liftTimeLimit(tx);
    return verifyRecords(tx, organizationId);
  });
}
