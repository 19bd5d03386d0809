/**
 * The time until which an organization's costs are closed: later changes are booked in the open month (decision 29).
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { isoMicros } from '#platform/database/iso-sql.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const CostClosingTable = defineEntity({
  name: 'CostClosing',
  tableName: 'cost_closing',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    /** First instant of the first open month; null: no month is closed. */
    closedUntil: p.datetime(6).nullable(),
  },
});

const FIND_CLOSED_UNTIL = statement<{ closedUntil: string | null }, { readonly organizationId: OrganizationId }>(
  `select ${isoMicros('closed_until')} as closed_until from cost_closing where organization_id = :organizationId`,
);

/** ISO 8601 UTC with six fraction digits, like the times of entries; null if no month is closed. */
export async function findClosedUntil(tx: Transaction, organizationId: OrganizationId): Promise<string | null> {
  const [row] = await tx.all(FIND_CLOSED_UNTIL, { organizationId });
  return row?.closedUntil ?? null;
}

const FIND_CLOSED_MONTHS = statement<
  { organizationId: OrganizationId; closedUntil: string },
  { readonly organizationIds: readonly OrganizationId[] }
>(`select organization_id, ${isoMicros('closed_until')} as closed_until from cost_closing
     where organization_id = any(:organizationIds::uuid[]) and closed_until is not null`);

/** The end of the closed months by organization. Organizations without a closed month are missing. */
export async function findClosedMonths(
  tx: Transaction,
  organizationIds: readonly OrganizationId[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.all(FIND_CLOSED_MONTHS, { organizationIds });
  return new Map(rows.map(({ organizationId, closedUntil }) => [organizationId, closedUntil]));
}

const SAVE_CLOSED_UNTIL = statement<
  object,
  { readonly organizationId: OrganizationId; readonly until: Date | null }
>(`insert into cost_closing (organization_id, closed_until) values (:organizationId, :until)
     on conflict (organization_id) do update set closed_until = excluded.closed_until`);

export async function saveClosedUntil(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  until: Date | null,
): Promise<void> {
  await tx.run(SAVE_CLOSED_UNTIL, { organizationId, until });
}
