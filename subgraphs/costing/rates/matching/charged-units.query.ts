/** Names of the units that rate cards charge for, other than tokens: `searches`, `images`. */
import type { OrganizationId } from '#kernel/ids.ts';
import { sql } from 'kysely';
import { type Parameters, statement } from '#platform/database/statement.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { GLOBAL_TENANT } from '../../config.ts';

const READ = statement(
  ({ globalTenant, organizationId }: Parameters<{ globalTenant: string; organizationId: OrganizationId }>) => sql<{
    name: string;
  }>`select distinct jsonb_object_keys(unit_prices) as name from rate_card_version
     where organization_id in (${globalTenant}, ${organizationId})`,
);

/** Unit names of the organization's rate cards and of the standard ones, sorted. */
export async function chargedUnits(tx: Transaction, organizationId: OrganizationId): Promise<string[]> {
  const rows = await tx.all(READ, { globalTenant: GLOBAL_TENANT, organizationId });
  return rows.map(({ name }) => name).toSorted();
}
