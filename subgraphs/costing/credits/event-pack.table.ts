/** Packs of events bought by an organization. Changed only under the lock of its credit account. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
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
    /** End of the pack, exclusive. */
    expiresAt: p.datetime(3),
  },
});

const FIND_PACKS = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) => sql<{
    id: string;
    left: number;
    expiresAtMs: number;
  }>`
    select id, "left"::float8 as "left", (extract(epoch from expires_at) * 1000)::float8 as expires_at_ms
    from event_pack where organization_id = ${organizationId}`,
);

/** Every pack, including used and expired ones. */
export async function findPacks(tx: Transaction, organizationId: OrganizationId): Promise<CreditPack[]> {
  const rows = await tx.all(FIND_PACKS, { organizationId });
  return rows.map(({ id, left, expiresAtMs }) => ({ id, left, expiresAt: new Date(expiresAtMs) }));
}

const TAKE_FROM_PACKS = statement(
  (
    input: Parameters<{ organizationId: OrganizationId; ids: readonly string[]; takens: readonly number[] }>,
  ) => sql<object>`
    update event_pack set "left" = "left" - part.taken
    from unnest(${input.ids}::uuid[], ${input.takens}::bigint[]) as part(id, taken)
    where organization_id = ${input.organizationId} and event_pack.id = part.id`,
);

/** Subtracts credits from packs, under the lock of the credit account. */
export async function takeFromPacks(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  parts: Spending['fromPacks'],
): Promise<void> {
  await tx.run(TAKE_FROM_PACKS, {
    organizationId,
    ids: parts.map(({ id }) => id),
    takens: parts.map(({ taken }) => taken),
  });
}

const ADD_PACK = statement(
  (
    input: Parameters<{ organizationId: OrganizationId; id: string; events: number; addedAt: Date; expiresAt: Date }>,
  ) => sql<object>`
    insert into event_pack (organization_id, id, size, "left", added_at, expires_at) values (${input.organizationId}, ${input.id}, ${input.events}, ${input.events}, ${input.addedAt}, ${input.expiresAt})`,
);

export async function addPack(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  pack: { id: string; events: number; addedAt: Date; expiresAt: Date },
): Promise<void> {
  await tx.run(ADD_PACK, {
    organizationId,
    id: pack.id,
    events: pack.events,
    addedAt: pack.addedAt,
    expiresAt: pack.expiresAt,
  });
}
