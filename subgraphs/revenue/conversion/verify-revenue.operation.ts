/** Verifies the records of revenue, and their amounts in reporting currencies. */
import { liftTimeLimit } from '#platform/database/sql.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { verifyRecords } from '../records/verify-records.query.ts';
import type { VerificationCheck } from '../resolvers.generated.ts';
import { verifyConversion } from './verify-conversion.query.ts';

export async function verifyRevenue(context: SubgraphContext): Promise<VerificationCheck[]> {
  const organizationId = organizationOf(context);
  return context.database.write(organizationId, async (tx) => {
    await liftTimeLimit(tx);
    return [...(await verifyRecords(tx, organizationId)), ...(await verifyConversion(tx, organizationId))];
  });
}
