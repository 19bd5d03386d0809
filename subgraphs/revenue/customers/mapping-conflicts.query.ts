/** Customers and end users that do not match one to one (decision 9, D42). */
import type { OrganizationId } from '#kernel/ids.ts';
import { sql } from 'kysely';
import type { Page } from '#kernel/page-cursor.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import type { Placeholder } from '#platform/database/tables.ts';
import type { Transaction } from '#platform/database/transaction.ts';

export interface MappingConflict {
  externalId: string;
  customerIds: string[];
  /** Null if no customer has both a link and metadata. */
  contradicts: boolean | null;
}

const conflictsOf = (organizationId: Placeholder<string>) => sql<MappingConflict>`
  select coalesce(linked_external_id, metadata_external_id) as external_id, array_agg(id order by id) as customer_ids,
    bool_or(linked_external_id <> metadata_external_id) as contradicts
  from customer where organization_id = ${organizationId} and coalesce(linked_external_id, metadata_external_id) is not null
  group by 1 having count(*) > 1 or bool_or(linked_external_id <> metadata_external_id)`;

const MAPPING_CONFLICTS = statement(
  ({ organizationId, limit, offset }: Parameters<Page & { organizationId: OrganizationId }>) =>
    sql<MappingConflict>`${conflictsOf(organizationId)} order by 1 limit ${limit} offset ${offset}`,
);

const COUNT_MAPPING_CONFLICTS = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
    sql<{ count: number }>`select count(*)::float8 as count from (${conflictsOf(organizationId)}) as conflict`,
);

/** End users with several customers, or with a customer whose link contradicts its metadata. */
export async function mappingConflicts(
  tx: Transaction,
  organizationId: OrganizationId,
  page: Page,
): Promise<MappingConflict[]> {
  return tx.all(MAPPING_CONFLICTS, { organizationId, ...page });
}

export async function countMappingConflicts(tx: Transaction, organizationId: OrganizationId): Promise<number> {
  return (await tx.one(COUNT_MAPPING_CONFLICTS, { organizationId })).count;
}
