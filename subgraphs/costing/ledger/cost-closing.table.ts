/** Until when an organization's costs are closed: later changes are booked in the open month (decision 29). */
import { defineEntity, p } from '@mikro-orm/core';
import { isoMicros } from '#platform/database/iso-sql.ts';
import { query } from '#platform/database/sql.ts';
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

/** ISO 8601 UTC with six fraction digits, like the times of entries; null if no month is closed. */
export async function findClosedUntil(tx: Transaction, organizationId: string): Promise<string | null> {
  const [row] = await query<{ closedUntil: string | null }>(
    tx,
    `select ${isoMicros('closed_until')} as closed_until from cost_closing where organization_id = $1`,
    [organizationId],
  );
  return row?.closedUntil ?? null;
}

/** By organization; organizations without a closed month are left out. */
export async function findClosedMonths(
  tx: Transaction,
  organizationIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await query<{ organizationId: string; closedUntil: string }>(
    tx,
    `select organization_id, ${isoMicros('closed_until')} as closed_until from cost_closing
     where organization_id = any($1::uuid[]) and closed_until is not null`,
    [organizationIds],
  );
  return new Map(rows.map(({ organizationId, closedUntil }) => [organizationId, closedUntil]));
}

export async function saveClosedUntil(tx: WriteTransaction, organizationId: string, until: Date | null): Promise<void> {
  await query(
    tx,
    `insert into cost_closing (organization_id, closed_until) values ($1, $2)
     on conflict (organization_id) do update set closed_until = excluded.closed_until`,
    [organizationId, until],
  );
}
