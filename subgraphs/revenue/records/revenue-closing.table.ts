/** Up to when an organization's revenue is closed: what would change it is recognized later (decision 29). */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { isoMillis } from '../../../platform/database/iso-sql.ts';
import { query, type Transaction } from '../../../platform/database/sql.ts';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const RevenueClosingTable = defineEntity({
  name: 'RevenueClosing',
  tableName: 'revenue_closing',
  ...tenantTable('revenue'),
  properties: {
    organizationId: p.uuid().primary(),
    /** First instant of the first open month; null: no month is closed. */
    closedUntil: p.datetime(3).nullable(),
  },
});

export type RevenueClosing = InferEntity<typeof RevenueClosingTable>;

/** ISO 8601 UTC; null while nothing is closed. */
export async function findClosedUntil(tx: Transaction, organizationId: string): Promise<string | null> {
  const [row] = await query<{ closedUntil: string | null }>(
    tx,
    `select ${isoMillis('closed_until')} as closed_until from revenue_closing where organization_id = $1`,
    [organizationId],
  );
  return row?.closedUntil ?? null;
}

export async function saveClosedUntil(em: EntityManager, organizationId: string, until: Date | null): Promise<void> {
  await query(
    em,
    `insert into revenue_closing (organization_id, closed_until) values ($1, $2)
     on conflict (organization_id) do update set closed_until = excluded.closed_until`,
    [organizationId, until],
  );
}

/** A transaction that appends entries shares the organization's closing, one that moves it has it alone. */
export async function holdClosing(em: EntityManager, organizationId: string, mode: 'share' | 'move'): Promise<void> {
  const lock = mode === 'share' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  await query(em, `select ${lock}(hashtextextended('revenue_closing ' || $1, 0))`, [organizationId]);
}
