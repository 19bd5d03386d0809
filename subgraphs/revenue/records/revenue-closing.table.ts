/** End of an organization's closed months: later changes are recognized in the first open month (decision 29). */
import type { OrganizationId } from '#kernel/ids.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { isoMillis } from '#platform/database/iso-sql.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const RevenueClosingTable = defineEntity({
  name: 'RevenueClosing',
  tableName: 'revenue_closing',
  ...tenantTable('revenue'),
  properties: {
    organizationId: p.uuid().primary(),
    /** Start of the first open month; null if no month is closed. */
    closedUntil: p.datetime(3).nullable(),
  },
});

const FIND_CLOSED_UNTIL = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
    sql<{
      closedUntil: string | null;
    }>`select ${sql.raw(isoMillis('closed_until'))} as closed_until from revenue_closing where organization_id = ${organizationId}`,
  { isPointRead: true },
);

/** ISO 8601 UTC; null if no month is closed. */
export async function findClosedUntil(tx: Transaction, organizationId: OrganizationId): Promise<string | null> {
  return (await tx.first(FIND_CLOSED_UNTIL, { organizationId }))?.closedUntil ?? null;
}

const SAVE_CLOSED_UNTIL = statement(
  ({
    organizationId,
    until,
  }: Parameters<{
    organizationId: OrganizationId;
    until: Date | null;
  }>) => sql<object>`insert into revenue_closing (organization_id, closed_until) values (${organizationId}, ${until})
     on conflict (organization_id) do update set closed_until = excluded.closed_until`,
);

export async function saveClosedUntil(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  until: Date | null,
): Promise<void> {
  await tx.run(SAVE_CLOSED_UNTIL, { organizationId, until });
}

/** Locks the closing until the transaction ends: shared to append entries, exclusive to move it. */
export async function holdClosing(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  mode: 'share' | 'move',
): Promise<void> {
  await lockOrganization(tx, 'revenueClosing', organizationId, mode === 'share' ? 'shared' : 'exclusive');
}
