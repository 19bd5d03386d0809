/** Packs of events that an organization has bought. Changed only under the lock of its credit account. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query, type Transaction } from '../../../platform/database/sql.ts';
import { tenantTable } from '../../../platform/database/tenant-table.ts';
import type { CreditPack } from './credit-account.ts';
import type { Spending } from './spend-credits.ts';

export const EventPackTable = defineEntity({
  name: 'EventPack',
  tableName: 'event_pack',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    size: p.bigint(),
    left: p.bigint(),
    addedAt: p.datetime(3),
    /** From this instant on it serves no more. */
    expiresAt: p.datetime(3),
  },
});

export type EventPackRow = InferEntity<typeof EventPackTable>;

/** Every pack, also those that are used up or have expired. */
export async function findPacks(tx: Transaction, organizationId: string): Promise<CreditPack[]> {
  const rows = await query<{ id: string; left: number; expiresAtMs: number }>(
    tx,
    `
    select id, "left"::float8 as "left", (extract(epoch from expires_at) * 1000)::float8 as expires_at_ms
    from event_pack where organization_id = $1`,
    [organizationId],
  );
  return rows.map(({ id, left, expiresAtMs }) => ({ id, left, expiresAt: new Date(expiresAtMs) }));
}

export async function takeFromPacks(
  em: EntityManager,
  organizationId: string,
  parts: Spending['fromPacks'],
): Promise<void> {
  await query(
    em,
    `
    update event_pack set "left" = "left" - part.taken
    from unnest($2::uuid[], $3::bigint[]) as part(id, taken)
    where organization_id = $1 and event_pack.id = part.id`,
    [organizationId, parts.map(({ id }) => id), parts.map(({ taken }) => taken)],
  );
}

export async function addPack(
  em: EntityManager,
  organizationId: string,
  pack: { id: string; events: number; addedAt: Date; expiresAt: Date },
): Promise<void> {
  await query(
    em,
    `
    insert into event_pack (organization_id, id, size, "left", added_at, expires_at) values ($1, $2, $3, $3, $4, $5)`,
    [organizationId, pack.id, pack.events, pack.addedAt, pack.expiresAt],
  );
}
